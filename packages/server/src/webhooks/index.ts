// Owns incoming webhooks: their addresses, what may be posted there in which of three formats and how often, the
// messages that came of it, and the log of the last posts.
// Does not own: how messages are kept and whom they can notify (platform/messages/), who may manage (platform/permissions/).
import type { DialectWebhook } from '@gatehouse/protocol/webhooks'
import type { Transient } from '../bus/bus.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Messages } from '../platform/messages/index.ts'
import type { Database } from '../storage/database.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { dialectWebhook } from './dialect.ts'
import { createSeen, type Seen } from './github/seen.ts'
import { createNoWebhookLimits, createWebhookLimits, type WebhookLimits } from './limits.ts'
import { createManaging, type Managing } from './managing.ts'
import { createPosting, type Posting } from './posting.ts'
import type { AddressedWebhook } from './store.ts'
import { createFindLately, deleteByToken, findByToken, renameByToken } from './webhook.ts'

interface WebhooksDeps {
  db: Database
  clock: Clock
  timers: Timers
  ids: () => string
  sealer: Sealer
  messages: Messages
  transient: Transient
  /** Whether other nodes count and remember with this one. */
  several: boolean
  baseUrl: string
  rateLimits: boolean
  /** Told of what could not be written of the log. */
  report: (error: unknown) => void
}

export interface Webhooks {
  /** By its address; undefined for an unknown id and for a wrong token. */
  find(id: string, token: string): Promise<AddressedWebhook | undefined>
  /** As `find`, a second old at most: for `posting.post`, which looks again. */
  findLately(id: string, token: string): Promise<AddressedWebhook | undefined>
  /** As the dialect shows it to whoever has its address. */
  show(webhook: AddressedWebhook, token: string): DialectWebhook
  rename(webhook: AddressedWebhook, body: Readonly<Record<string, unknown>>): Promise<AddressedWebhook>
  remove(webhook: AddressedWebhook): Promise<void>
  posting: Posting
  managing: Managing
  limits: WebhookLimits
  deliveries: Deliveries
  seen: Seen
  now: Clock
  /** Writes what is still to be written of the log. */
  close(): Promise<void>
}

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { db, clock, timers, ids, sealer, messages, transient, baseUrl, report } = deps
  const deliveries = createDeliveries({ db, clock, timers, ids, report })
  return {
    find: (id, token) => findByToken(db, id, token),
    findLately: createFindLately(db, clock),
    show: (webhook, token) => dialectWebhook(webhook, token, baseUrl),
    rename: (webhook, body) => renameByToken(db, webhook, body),
    remove: webhook => deleteByToken(db, webhook),
    posting: createPosting({ db, messages, baseUrl }),
    managing: createManaging({ db, clock, ids, sealer, baseUrl, deliveries }),
    limits: deps.rateLimits
      ? createWebhookLimits({ clock, shared: deps.several ? transient : undefined })
      : createNoWebhookLimits(),
    deliveries,
    seen: createSeen(transient),
    now: clock,
    close: () => deliveries.close(),
  }
}
