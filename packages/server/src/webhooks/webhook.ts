import { isId } from '@gatehouse/protocol/ids'
import type { Members } from '@gatehouse/protocol/members'
import { hashSecret, isWellFormedWebhookToken, sameSecret } from '../kit/secret.ts'
import type { Database } from '../storage/database.ts'
import { checkName } from './draft.ts'
import { invalidAt, invalidForm, unknownWebhook } from './refusal.ts'
import * as store from './store.ts'

// What a token is compared with where there is no webhook: 43 characters, as every hash has, and the hash of none.
const nobodys = '-'.repeat(43)

/** A webhook by its address. Undefined for an unknown id and for a wrong token, after the same work (check 56). */
export async function findByToken(
  db: Database,
  id: string,
  token: string,
): Promise<store.AddressedWebhook | undefined> {
  const tokenHash = hashSecret(token)
  // What cannot be one never reaches the database.
  if (!isId(id) || !isWellFormedWebhookToken(token)) return undefined
  const webhook = await store.findAddressed(db, id)
  return sameSecret(webhook?.tokenHash ?? nobodys, tokenHash) ? webhook : undefined
}

/** By its address, the name alone; the rest is ignored (D44). */
export async function renameByToken(
  db: Database,
  webhook: store.AddressedWebhook,
  body: Members,
): Promise<store.AddressedWebhook> {
  if (body.name === undefined || body.name === null) return webhook
  const { name, faults } = checkName(body.name, 'name')
  if (faults.length > 0) throw invalidForm(faults)
  if (name === undefined) throw invalidAt(['name'], 'too_short', 'must be between 1 and 80 in length')
  const renamed = { ...webhook, name }
  if (!(await store.updateWebhook(db, webhook.id, renamed))) throw unknownWebhook()
  return renamed
}

export async function deleteByToken(db: Database, webhook: store.AddressedWebhook): Promise<void> {
  if (!(await store.deleteWebhook(db, webhook.id))) throw unknownWebhook()
}
