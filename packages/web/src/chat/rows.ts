import type { Message } from '@gatehouse/protocol/messages'
import type { Invocation } from '../commands/invocations.ts'
import type { Dates } from '../i18n/dates.ts'
import { type Pending, type Timeline, visiblePending } from './timeline.ts'

/** One row of the message list. `key` stays the same for as long as it is the same thing. */
export type Row =
  | { kind: 'older'; key: 'older' }
  | { kind: 'start'; key: 'start' }
  | { kind: 'day'; key: string; at: string }
  /** `follows`: the row above is of the same author, so that name and picture are not shown again. */
  | { kind: 'message'; key: string; message: Message; follows: boolean }
  | { kind: 'pending'; key: string; pending: Pending; follows: boolean }
  | { kind: 'invocation'; key: string; invocation: Invocation }

const groupMs = 7 * 60_000

export function buildRows(
  timeline: Timeline,
  invocations: readonly Invocation[],
  selfId: string,
  dates: Pick<Dates, 'dayKey'>,
): Row[] {
  const rows: Row[] = [timeline.complete ? { kind: 'start', key: 'start' } : { kind: 'older', key: 'older' }]
  const notices = invocations.filter(({ type }) => type === 'command')
  const place = (matches: (invocation: Invocation) => boolean) => {
    for (const invocation of notices.filter(matches)) {
      rows.push({ kind: 'invocation', key: `used-${invocation.nonce}`, invocation })
    }
  }
  const known = new Set(timeline.messages.map(({ id }) => id))
  let day = ''
  let above: Message | undefined
  for (const message of timeline.messages) {
    const key = dates.dayKey(message.createdAt)
    if (key !== day) rows.push({ kind: 'day', key: `day-${key}`, at: message.createdAt })
    const last = rows.at(-1)
    const follows = last?.kind === 'message' && above !== undefined && belongTogether(above, message)
    rows.push({ kind: 'message', key: message.id, message, follows })
    day = key
    above = message
    place(({ afterId }) => afterId === message.id)
  }
  place(({ afterId }) => afterId === undefined || !known.has(afterId))
  for (const pending of visiblePending(timeline)) {
    const last = rows.at(-1)
    const follows =
      last?.kind === 'pending' ||
      (last?.kind === 'message' &&
        last.message.author.id === selfId &&
        standsAlone(last.message) === false &&
        Date.parse(pending.createdAt) - Date.parse(last.message.createdAt) < groupMs)
    rows.push({ kind: 'pending', key: `pending-${pending.nonce}`, pending, follows })
  }
  return rows
}

function standsAlone(message: Message): boolean {
  return message.interaction !== undefined || message.ephemeral === true
}

function belongTogether(above: Message, below: Message): boolean {
  return (
    above.author.id === below.author.id &&
    // D43: a webhook has another name or picture for each message if it likes.
    above.author.displayName === below.author.displayName &&
    above.author.avatar === below.author.avatar &&
    !standsAlone(below) &&
    above.ephemeral === below.ephemeral &&
    Date.parse(below.createdAt) - Date.parse(above.createdAt) < groupMs
  )
}
