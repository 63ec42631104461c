import { maxEphemeralBytes, maxEphemerals } from '@gatehouse/protocol/limits'
import type { Message } from '@gatehouse/protocol/messages'
import type { Bus } from '../bus/bus.ts'
import { canViewChannel } from '../community/permissions/index.ts'
import type { Events, PublishedEvent } from '../events/gateway-events.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { isTokenExpired } from './deadline.ts'
import type { Deps } from './interaction-deps.ts'

/** A message that only one user sees. */
export interface EphemeralRecord {
  message: Message
  userId: string
  applicationId: string
  /** The interaction to which the message responds. */
  interactionId: string
  /** When the token of that interaction expires, in milliseconds. */
  expiresAt: number
}

export type EphemeralMessages = ReturnType<typeof createEphemeralMessages>

/** The messages of an application that this node stored or edited, the oldest first. */
interface Counted {
  byId: Map<string, { bytes: number; expiresAt: number }>
  bytes: number
}

type EphemeralDeps = Pick<Deps, 'db' | 'clock' | 'nodes'> & {
  rateLimiter: Pick<RateLimiter, 'checkEphemeral'>
  bus: Pick<Bus, 'kv'>
  events: Pick<Events, 'toUser'>
}

/**
 * Stores ephemeral messages in memory until the interaction's token expires, never in the database (bots/ephemeral).
 * The store drops its oldest keys when it is full, so an application has a share of it: those of one account do not
 * fill it.
 */
export function createEphemeralMessages({ db, bus, clock, nodes, events, rateLimiter }: EphemeralDeps) {
  const { kv } = bus
  const applications = new Map<string, Counted>()

  function forget(applicationId: string, id: string): void {
    const counted = applications.get(applicationId)
    const entry = counted?.byId.get(id)
    if (counted === undefined || entry === undefined) return
    counted.byId.delete(id)
    counted.bytes -= entry.bytes
    if (counted.byId.size === 0) applications.delete(applicationId)
  }

  /** Counts a message, and drops the oldest ones of its application above the share of this node. */
  async function count({ message, applicationId, expiresAt }: EphemeralRecord, value: string): Promise<void> {
    const counted = applications.get(applicationId) ?? { byId: new Map(), bytes: 0 }
    applications.set(applicationId, counted)
    const bytes = Buffer.byteLength(value)
    counted.bytes += bytes - (counted.byId.get(message.id)?.bytes ?? 0)
    // An edit does not change the order, as in the store.
    counted.byId.set(message.id, { bytes, expiresAt })
    const share = 1 / (1 + nodes.others().length)
    const dropped: string[] = []
    for (const id of counted.byId.keys()) {
      const isWithin =
        counted.byId.size <= maxEphemerals * share && counted.bytes <= maxEphemeralBytes * share
      if (isWithin || id === message.id) break
      forget(applicationId, id)
      dropped.push(toKey(id))
    }
    await Promise.all(dropped.map(key => kv.delete(key)))
  }

  /** Counts a new message or a new version (limits/ephemerals), and returns it as JSON. Throws 429 `rate_limited`. */
  function checkRate(record: EphemeralRecord): string {
    const value = JSON.stringify(record)
    rateLimiter.checkEphemeral(record.applicationId, Math.ceil(Buffer.byteLength(value) / 1024))
    return value
  }

  /** Skips users who have lost access to the channel (bots/user-left). */
  async function publish({ userId, message }: EphemeralRecord, event: PublishedEvent<'user'>): Promise<void> {
    if (await canViewChannel(db, userId, message.channelId)) events.toUser(userId, event)
  }

  return {
    async find(id: string): Promise<EphemeralRecord | undefined> {
      const entry = await kv.get(toKey(id))
      return entry && parseRecord(entry.value)
    },

    checkRate,

    /** Publishes no event: see `publishCreate`. Throws 429 `rate_limited`. */
    async store(record: EphemeralRecord): Promise<void> {
      const value = checkRate(record)
      await kv.set(toKey(record.message.id), value, record.expiresAt - clock())
      await count(record, value)
    },

    /**
     * Publishes MESSAGE_UPDATE. `edit` may run more than once. Undefined if the message does not exist any more. Counts
     * nothing, because it may follow a commit.
     */
    async update(id: string, edit: (message: Message) => Message): Promise<Message | undefined> {
      for (;;) {
        const entry = await kv.get(toKey(id))
        if (!entry) return undefined
        const before = parseRecord(entry.value)
        const record = { ...before, message: edit(before.message) }
        const value = JSON.stringify(record)
        // Fails only after a concurrent update of the same message, which the next turn reads.
        if (!(await kv.update(toKey(id), value, entry.revision))) continue
        await count(record, value)
        await publish(record, { t: 'MESSAGE_UPDATE', d: record.message })
        return record.message
      }
    },

    /** Publishes MESSAGE_DELETE. Returns false if the message does not exist any more. */
    async delete(id: string): Promise<boolean> {
      const entry = await kv.get(toKey(id))
      if (!entry || !(await kv.delete(toKey(id)))) return false
      const record = parseRecord(entry.value)
      forget(record.applicationId, id)
      const { channelId, serverId } = record.message
      await publish(record, { t: 'MESSAGE_DELETE', d: { id, channelId, serverId } })
      return true
    },

    /** Deletes a message without an event, because its MESSAGE_CREATE was not published. */
    async discard({ applicationId, message: { id } }: EphemeralRecord): Promise<void> {
      forget(applicationId, id)
      await kv.delete(toKey(id))
    },

    /** Ends the count of messages that have expired. */
    async sweep(): Promise<void> {
      for (const [applicationId, { byId }] of applications) {
        for (const [id, entry] of byId) if (isTokenExpired(entry, clock())) forget(applicationId, id)
      }
    },

    publishCreate: (record: EphemeralRecord) => publish(record, { t: 'MESSAGE_CREATE', d: record.message }),
  }
}

function toKey(id: string): string {
  return `ephemeral.${id}`
}

function parseRecord(value: string): EphemeralRecord {
  return JSON.parse(value)
}
