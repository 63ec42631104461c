import { isId } from '@gatehouse/protocol/ids'
import type { Webhook } from '@gatehouse/protocol/webhooks'
import { type Actor, changesOf } from '../audit/index.ts'
import { constantTimeEqual, hashSecret, isWellFormedWebhookToken } from '../kit/secret.ts'
import type { Database } from '../storage/database.ts'
import type { Deps } from './webhook-deps.ts'
import * as store from './webhook-store.ts'
import {
  actOn,
  createSealedToken,
  publishChange,
  requireManagedWebhook,
  toWebhook,
  type WebhookIds,
} from './webhooks.ts'

export type WebhookTokens = ReturnType<typeof createWebhookTokens>

export function createWebhookTokens({
  db,
  clock,
  sealer,
  auditLog,
  events,
  baseUrl,
  proxyUrls,
  requireVerified,
}: Deps) {
  return {
    find: (id: string, token: string) => findWebhookByToken(db, id, token),

    /**
     * Replaces the token. The old URL stops working immediately. The user becomes the creator: only they see the new
     * token, and what the webhook may mention depends on their permissions (webhooks/token-shown).
     */
    reset(actor: Actor, path: WebhookIds): Promise<Webhook> {
      const replaced = { ...createSealedToken(sealer, path.id), createdBy: actor.userId }
      return db.transaction(async tx => {
        const webhook = await requireManagedWebhook(tx, clock(), actor.userId, path)
        await requireVerified(tx, actor.userId)
        await store.updateToken(tx, webhook.id, replaced)
        const changes = [
          // A secret: that it changes, not its values.
          { key: 'token', before: null, after: null },
          ...changesOf(['createdBy'], webhook, replaced),
        ]
        await auditLog.record(tx, { ...actOn(webhook, actor), action: 'WEBHOOK_UPDATE', changes })
        tx.afterCommit(() => publishChange(events, webhook))
        const context = { sealer, baseUrl, proxyUrls, viewerId: actor.userId }
        return toWebhook(tx, { ...webhook, ...replaced }, context)
      })
    },
  }
}

// The hash that is compared if the webhook does not exist: 43 characters like every hash, but the hash of no token.
const unmatchableHash = '-'.repeat(43)

/**
 * Returns undefined for an unknown id and for a wrong token, after the same work (webhooks/unknown-webhook). A
 * malformed token needs no query: its form says nothing about which webhooks exist.
 */
export async function findWebhookByToken(
  db: Database,
  id: string,
  token: string,
): Promise<store.WebhookRecord | undefined> {
  const tokenHash = hashSecret(token)
  if (!isId(id) || !isWellFormedWebhookToken(token)) return undefined
  const webhook = await store.findWebhook(db, id)
  return constantTimeEqual(webhook?.tokenHash ?? unmatchableHash, tokenHash) ? webhook : undefined
}
