import type { Message } from '@gatehouse/protocol/messages'
import type { Bus } from '../bus/bus.ts'
import type { Events, PublishedEvent } from '../platform/events.ts'
import { canViewChannel } from '../platform/permissions/index.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Deps } from './deps.ts'

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

type EphemeralDeps = Pick<Deps, 'db' | 'clock'> & {
  rateLimiter: Pick<RateLimiter, 'checkEphemeral'>
  bus: Pick<Bus, 'kv'>
  events: Pick<Events, 'toUser'>
}

/** Stores ephemeral messages in memory until the interaction's token expires, never in the database (bots/ephemeral). */
export function createEphemeralMessages({ db, bus, clock, events, rateLimiter }: EphemeralDeps) {
  const { kv } = bus

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
      await kv.set(toKey(record.message.id), checkRate(record), record.expiresAt - clock())
    },

    /**
     * Publishes MESSAGE_UPDATE. `edit` may run more than once. Undefined if the message does not exist any more. Counts nothing,
     * because it may follow a commit.
     */
    async update(id: string, edit: (message: Message) => Message): Promise<Message | undefined> {
      for (;;) {
        const entry = await kv.get(toKey(id))
        if (!entry) return undefined
        const before = parseRecord(entry.value)
        const record = { ...before, message: edit(before.message) }
        // Fails only after a concurrent update of the same message, which the next turn reads.
        if (!(await kv.update(toKey(id), JSON.stringify(record), entry.revision))) continue
        await publish(record, { t: 'MESSAGE_UPDATE', d: record.message })
        return record.message
      }
    },

    /** Publishes MESSAGE_DELETE. Returns false if the message does not exist any more. */
    async delete(id: string): Promise<boolean> {
      const entry = await kv.get(toKey(id))
      if (!entry || !(await kv.delete(toKey(id)))) return false
      const record = parseRecord(entry.value)
      const { channelId, serverId } = record.message
      await publish(record, { t: 'MESSAGE_DELETE', d: { id, channelId, serverId } })
      return true
    },

    /** Deletes a message without an event, because its MESSAGE_CREATE was not published. */
    async discard(id: string): Promise<void> {
      await kv.delete(toKey(id))
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
