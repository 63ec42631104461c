import { isId } from '@gatehouse/protocol/ids'
import type { Members } from '@gatehouse/protocol/members'
import type { Clock } from '../kit/clock.ts'
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

/** Milliseconds for which what was found is taken to be so until the post says otherwise. */
const latelyMs = 1000

const mostFound = 10_000

/**
 * As `findByToken`, but what it gives may be a second old: for who posts, because the transaction of a post looks again
 * and goes by what it finds there.
 */
export function createFindLately(
  db: Database,
  clock: Clock,
): (id: string, token: string) => Promise<store.AddressedWebhook | undefined> {
  const found = new Map<string, { webhook: store.AddressedWebhook; until: number }>()

  return async (id, token) => {
    const known = found.get(id)
    const now = clock()
    if (known && now < known.until && sameSecret(known.webhook.tokenHash, hashSecret(token)))
      return known.webhook
    found.delete(id)
    const webhook = await findByToken(db, id, token)
    if (webhook === undefined) return undefined
    const [oldest] = found.keys()
    if (oldest !== undefined && found.size >= mostFound) found.delete(oldest)
    found.set(id, { webhook, until: now + latelyMs })
    return webhook
  }
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
