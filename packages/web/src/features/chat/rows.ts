import type { Message } from '@gatehouse/protocol/messages'
import type { Dates } from '../../core/i18n/dates.ts'
import type { Invocation } from '../../core/stores/invocations.ts'
import { compareIds, type Pending, type Timeline } from '../../core/stores/timeline.ts'

/** One row of the message list. */
export type Row =
  | { kind: 'start'; key: 'start' }
  /** Below the last message while newer ones are not loaded. */
  | { kind: 'loadNewer'; key: 'load-newer' }
  | { kind: 'day'; key: string; at: string }
  /** Above the first unread message. */
  | { kind: 'unreadDivider'; key: 'unread-divider' }
  /** `isGrouped`: the row above has the same author, so the name and avatar are not repeated. */
  | { kind: 'message'; key: string; message: Message; isGrouped: boolean }
  | { kind: 'pending'; key: string; pending: Pending; isGrouped: boolean }
  | { kind: 'invocation'; key: string; invocation: Invocation }

const groupMs = 7 * 60_000

export function buildRows(
  timeline: Timeline,
  invocations: readonly Invocation[],
  selfId: string,
  dates: Pick<Dates, 'dayKey'>,
  /** The id of the last read message. */
  divider?: string,
): Row[] {
  const rows: Row[] = timeline.reachesStart ? [{ kind: 'start', key: 'start' }] : []
  const commands = invocations.filter(({ type }) => type === 'command')
  const addCommands = (matches: (invocation: Invocation) => boolean) => {
    for (const invocation of commands.filter(matches)) {
      rows.push({ kind: 'invocation', key: `used-${invocation.nonce}`, invocation })
    }
  }
  const firstUnread = findFirstUnread(timeline, divider, selfId)
  let day = ''
  let above: Message | undefined
  for (const message of timeline.messages) {
    const key = dates.dayKey(message.createdAt)
    // Messages of the same day may precede the first loaded one.
    if (key !== day && (timeline.reachesStart || above))
      rows.push({ kind: 'day', key: `day-${key}`, at: message.createdAt })
    if (message.id === firstUnread) rows.push({ kind: 'unreadDivider', key: 'unread-divider' })
    const last = rows.at(-1)
    const isGrouped = last?.kind === 'message' && above !== undefined && isSameGroup(above, message)
    rows.push({ kind: 'message', key: message.id, message, isGrouped })
    day = key
    above = message
    if (commands.length > 0) addCommands(({ afterId }) => afterId === message.id)
  }
  if (!timeline.reachesEnd) rows.push({ kind: 'loadNewer', key: 'load-newer' })
  if (commands.length > 0) {
    const loaded = new Set(timeline.messages.map(({ id }) => id))
    addCommands(({ afterId }) => afterId === undefined || !loaded.has(afterId))
  }
  for (const pending of timeline.pending) {
    const last = rows.at(-1)
    const isGrouped =
      last?.kind === 'pending' ||
      (last?.kind === 'message' &&
        last.message.author.id === selfId &&
        !hasOwnHeader(last.message) &&
        Date.parse(pending.createdAt) - Date.parse(last.message.createdAt) < groupMs)
    rows.push({ kind: 'pending', key: `pending-${pending.nonce}`, pending, isGrouped })
  }
  return rows
}

/** Undefined if it may be before the loaded range. */
function findFirstUnread({ messages, reachesStart }: Timeline, divider: string | undefined, selfId: string) {
  if (divider === undefined) return undefined
  const first = messages.find(({ id, author }) => compareIds(id, divider) > 0 && author.id !== selfId)
  const [oldest] = messages
  return reachesStart || (oldest && compareIds(oldest.id, divider) <= 0) ? first?.id : undefined
}

function hasOwnHeader(message: Message): boolean {
  return message.interaction !== undefined || message.ephemeral === true
}

function isSameGroup(above: Message, below: Message): boolean {
  return (
    above.author.id === below.author.id &&
    // A webhook may set the name and avatar of each message (webhooks/message-object).
    above.author.displayName === below.author.displayName &&
    above.author.avatar === below.author.avatar &&
    !hasOwnHeader(below) &&
    above.ephemeral === below.ephemeral &&
    Date.parse(below.createdAt) - Date.parse(above.createdAt) < groupMs
  )
}
