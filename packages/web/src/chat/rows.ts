import type { Message } from '@gatehouse/protocol/messages'
import type { Invocation } from '../commands/invocations.ts'
import type { Dates } from '../i18n/dates.ts'
import { compareIds, type Pending, type Timeline } from './timeline.ts'

/** One row of the message list. `key` stays the same for as long as it is the same thing. */
export type Row =
  | { kind: 'start'; key: 'start' }
  /** Below the last message while there are newer ones. */
  | { kind: 'newer'; key: 'newer' }
  | { kind: 'day'; key: string; at: string }
  /** Above the first message that is new. */
  | { kind: 'new'; key: 'new' }
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
  /** The id after which messages of others are new. */
  line?: string,
): Row[] {
  const rows: Row[] = timeline.complete ? [{ kind: 'start', key: 'start' }] : []
  const notices = invocations.filter(({ type }) => type === 'command')
  const place = (matches: (invocation: Invocation) => boolean) => {
    for (const invocation of notices.filter(matches)) {
      rows.push({ kind: 'invocation', key: `used-${invocation.nonce}`, invocation })
    }
  }
  const firstNew = firstAfter(timeline, line, selfId)
  let day = ''
  let above: Message | undefined
  for (const message of timeline.messages) {
    const key = dates.dayKey(message.createdAt)
    // Above the first of what is loaded the day goes on, as far as is known.
    if (key !== day && (timeline.complete || above))
      rows.push({ kind: 'day', key: `day-${key}`, at: message.createdAt })
    if (message.id === firstNew) rows.push({ kind: 'new', key: 'new' })
    const last = rows.at(-1)
    const follows = last?.kind === 'message' && above !== undefined && belongTogether(above, message)
    rows.push({ kind: 'message', key: message.id, message, follows })
    day = key
    above = message
    if (notices.length > 0) place(({ afterId }) => afterId === message.id)
  }
  if (!timeline.present) rows.push({ kind: 'newer', key: 'newer' })
  if (notices.length > 0) {
    const known = new Set(timeline.messages.map(({ id }) => id))
    place(({ afterId }) => afterId === undefined || !known.has(afterId))
  }
  for (const pending of timeline.pending) {
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

/** Undefined where it is not known to be loaded. */
function firstAfter({ messages, complete }: Timeline, line: string | undefined, selfId: string) {
  if (line === undefined) return undefined
  const first = messages.find(({ id, author }) => compareIds(id, line) > 0 && author.id !== selfId)
  const [oldest] = messages
  return complete || (oldest && compareIds(oldest.id, line) <= 0) ? first?.id : undefined
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
