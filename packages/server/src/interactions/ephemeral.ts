import type { Message } from '@gatehouse/protocol/messages'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import type { Events } from '../platform/events.ts'
import { mayView } from '../platform/permissions/index.ts'
import type { Database } from '../storage/database.ts'

/** A message that one person alone sees, and whose it is. */
export interface EphemeralRecord {
  message: Message
  userId: string
  applicationId: string
  /** Which interaction made it. */
  interactionId: string
  /** With the token of that interaction, in milliseconds. */
  expiresAt: number
}

/** Ephemeral messages (D30): in memory until the interaction's token expires, never in the database or on a disk. */
export interface Ephemerals {
  find(id: string): Promise<EphemeralRecord | undefined>
  /** Nobody is told. */
  keep(record: EphemeralRecord): Promise<void>
  /** `change` may run several times. Tells the person; undefined where it is gone. */
  change(id: string, change: (message: Message) => Message): Promise<Message | undefined>
  /** Tells the person; false where it was gone. */
  remove(id: string): Promise<boolean>
  /** Forgets one that nobody was told of. */
  forget(id: string): Promise<void>
  /** Tells the person that it is there. */
  announce(record: EphemeralRecord): Promise<void>
}

interface EphemeralDeps {
  db: Database
  bus: Pick<Bus, 'transient'>
  clock: Clock
  events: Pick<Events, 'toUser'>
}

export function createEphemerals({ db, bus, clock, events }: EphemeralDeps): Ephemerals {
  const { transient } = bus

  // Check 77: who may not see the channel any more is not told what was said there; nobody learns of it.
  async function tell({ userId, message }: EphemeralRecord, t: string, d: unknown): Promise<void> {
    if (await mayView(db, userId, message.channelId)) events.toUser(userId, { t, d })
  }

  return {
    async find(id) {
      const entry = await transient.get(keyOf(id))
      return entry && parse(entry.value)
    },

    async keep(record) {
      await transient.set(keyOf(record.message.id), JSON.stringify(record), record.expiresAt - clock())
    },

    async change(id, change) {
      for (;;) {
        const entry = await transient.get(keyOf(id))
        if (!entry) return undefined
        const before = parse(entry.value)
        const record = { ...before, message: change(before.message) }
        // Lost only to another change of the same message, which is then changed in turn.
        if (!(await transient.update(keyOf(id), JSON.stringify(record), entry.revision))) continue
        await tell(record, 'MESSAGE_UPDATE', record.message)
        return record.message
      }
    },

    async remove(id) {
      const entry = await transient.get(keyOf(id))
      if (!entry || !(await transient.delete(keyOf(id)))) return false
      const record = parse(entry.value)
      const { channelId, serverId } = record.message
      await tell(record, 'MESSAGE_DELETE', { id, channelId, serverId })
      return true
    },

    async forget(id) {
      await transient.delete(keyOf(id))
    },

    announce: record => tell(record, 'MESSAGE_CREATE', record.message),
  }
}

function keyOf(id: string): string {
  return `ephemeral.${id}`
}

/** A parse edge: it was written by `keep`. */
function parse(value: string): EphemeralRecord {
  return JSON.parse(value)
}
