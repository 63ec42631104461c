import {
  defaultRangeExtractor,
  useVirtualizer,
  type VirtualItem,
  type Virtualizer,
} from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { useClient } from '../../core/client-context.ts'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useStore } from '../../core/stores/store.ts'
import { compareIds, type Timeline } from '../../core/stores/timeline.ts'
import { CurrentRow, withIndex } from '../../ui/roving-focus.ts'
import { InvocationRow } from '../commands/index.ts'
import { DayDivider } from './day-divider.tsx'
import { JumpButton } from './jump-button.tsx'
import { LoadingRow } from './loading-row.tsx'
import { MessageBoundary } from './message-boundary.tsx'
import { MessageRow } from './message-row.tsx'
import { PendingRow } from './pending-row.tsx'
import { isStop, useRowNavigation } from './row-navigation.ts'
import { buildRows, type Row } from './rows.ts'
import { StartRow } from './start-row.tsx'
import { UnreadBar, UnreadDivider } from './unread-divider.tsx'
import { usePages, useTrim, useUnseenCount } from './use-pages.ts'
import { useReadState } from './use-read-state.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

interface MessageListProps {
  timeline: Timeline
  editing: string | undefined
  onEdit(messageId: string | undefined): void
}

/** The height of the loading indicator above the first loaded message. */
const olderHeight = 120
/** The number of rendered rows outside of the viewport. The next page loads when its position is as near. */
const overscan = 8
/** At this distance from the end, the list still follows new messages. */
const nearEndPx = 80
const heights = { loadNewer: 120, start: 150, day: 40, unreadDivider: 40, invocation: 56 } as const

function estimate(row: Row | undefined): number {
  if (!row) return 44
  if (row.kind === 'message' || row.kind === 'pending') return row.isGrouped ? 28 : 62
  return heights[row.kind]
}

/**
 * Whether a change of the item's height must move the scroll position, so that the first visible row stays in place.
 */
function isAboveViewport(
  { start, end }: VirtualItem,
  _delta: number,
  { scrollOffset, scrollRect }: Virtualizer<HTMLDivElement, Element>,
): boolean {
  const top = scrollOffset ?? 0
  return start < top && end < top + (scrollRect?.height ?? 0)
}

/** A virtualized list with the newest message at the bottom. */
export function MessageList({ timeline, editing, onEdit }: MessageListProps) {
  const { t, dates } = useI18n()
  const { invocations, timelines } = useClient()
  const { channel, name, self } = useChannelContext()
  const scroller = useRef<HTMLDivElement>(null)
  const allInvocations = useStore(invocations.store, list => list)
  const ownInvocations = useMemo(
    () => allInvocations.filter(({ channelId }) => channelId === channel.id),
    [allInvocations, channel.id],
  )
  const reachedEnd = useRef(timeline.reachesEnd)
  useEffect(() => {
    reachedEnd.current = timeline.reachesEnd
  }, [timeline.reachesEnd])
  const measuredRows = useRef((): readonly VirtualItem[] => [])
  const end = useStickToEnd(scroller, {
    threshold: nearEndPx,
    rows: measuredRows,
    // The user reads a page that includes the newest message from its start.
    isFollowing: timeline.reachesEnd && reachedEnd.current,
  })
  const { scrollToEnd, leave: leaveEnd } = end
  const showsNewest = end.isAtEnd && timeline.reachesEnd
  const divider = useReadState(channel.id, timeline, showsNewest)
  const rows = useMemo(
    () => buildRows(timeline, ownInvocations, self.id, dates, divider),
    [timeline, ownInvocations, self.id, dates, divider],
  )
  const frame = useRef<HTMLDivElement>(null)
  const keyboard = useRowNavigation(rows, frame, index =>
    leaveEnd(() => list.scrollToIndex(index, { align: 'auto' })),
  )
  const editedIndex = rows.findIndex(({ key }) => key === editing)
  // A new function makes the virtualizer measure all rows again.
  const estimateSize = useCallback((index: number) => estimate(rows[index]), [rows])
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows])
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    overscan,
    // The row with the focus and the message that is being edited, with its text, stay in the document while the user
    // scrolls.
    rangeExtractor: range => [keyboard.focused, editedIndex].reduce(withIndex, defaultRangeExtractor(range)),
    // Padding instead of a row, because the virtualizer anchors the scroll position to the first row.
    paddingStart: timeline.reachesStart ? 0 : olderHeight,
    paddingEnd: 18,
    scrollPaddingEnd: 18,
    anchorTo: 'end',
    scrollEndThreshold: nearEndPx,
    scrollToFn: end.scrollTo,
  })
  list.shouldAdjustScrollPositionOnItemSizeChange = isAboveViewport
  useLayoutEffect(() => {
    measuredRows.current = () => list.measurementsCache
  }, [list])
  useLayoutEffect(() => end.onRender(rows.at(-1)?.key))

  // Before the list is scrolled to its end, its start is visible and must not load older messages.
  const [isPositioned, setIsPositioned] = useState(false)
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => setIsPositioned(true))
    return () => cancelAnimationFrame(frame)
  }, [])

  // A jump may load messages first, so it scrolls after their rows are rendered. The target may be a message.
  const [target, setTarget] = useState<string>()
  const dividerIndex = rows.findIndex(({ kind }) => kind === 'unreadDivider')
  useEffect(() => {
    if (!target) return
    setTarget(undefined)
    const index = rows.findIndex(({ key }) => key === target)
    if (target === 'end') scrollToEnd()
    else if (target === 'divider')
      leaveEnd(() => list.scrollToIndex(Math.max(0, dividerIndex), { align: 'start' }))
    else if (index >= 0) leaveEnd(() => list.scrollToIndex(index, { align: 'center' }))
  }, [list, rows, target, dividerIndex, scrollToEnd, leaveEnd])

  // A link to a message has its id as state. Its row is highlighted.
  const soughtId: string | undefined = useLocation().state?.messageId
  useEffect(() => {
    if (soughtId)
      timelines.loadAround(channel.id, soughtId).then(
        () => setTarget(soughtId),
        () => {},
      )
  }, [timelines, channel.id, soughtId])

  const jumpToEnd = useCallback(() => {
    const scroll = () => setTarget('end')
    // If the newest messages cannot be loaded, a pending message is still at the end of the list.
    timelines.loadNewest(channel.id).then(scroll, scroll)
  }, [timelines, channel.id])

  // The user always sees a message or command that they just sent. Earlier ones may still be pending.
  const knownNonces = useRef<readonly string[]>([])
  useEffect(() => {
    const commands = ownInvocations.filter(({ type }) => type === 'command')
    const nonces = [...timeline.pending, ...commands].map(({ nonce }) => nonce)
    if (nonces.some(nonce => !knownNonces.current.includes(nonce))) jumpToEnd()
    knownNonces.current = nonces
  }, [jumpToEnd, timeline.pending, ownInvocations])

  const items = list.getVirtualItems()
  const { startIndex = 0, endIndex = 0 } = list.range ?? {}
  const current = keyboard.current(endIndex)
  const dividerIsAbove =
    isPositioned && (dividerIndex < 0 ? startsAfter(timeline, divider) : dividerIndex < startIndex)
  const unseen = useUnseenCount(timeline, showsNewest)
  const nearStart = isPositioned && !timeline.reachesStart && startIndex <= overscan
  const newerIndex = timeline.reachesEnd ? -1 : rows.findLastIndex(({ kind }) => kind === 'loadNewer')
  const nearEnd = isPositioned && newerIndex >= 0 && endIndex + overscan >= newerIndex
  const { older, newer } = usePages(channel.id, nearStart, nearEnd)
  const firstVisible = rows.slice(startIndex).find(({ kind }) => kind === 'message')
  const visibleId = showsNewest ? timeline.messages.at(-1)?.id : firstVisible?.key
  useTrim(timeline, channel.id, isPositioned ? visibleId : undefined, editing !== undefined)

  return (
    <div ref={frame} className="messages-frame" {...keyboard.props}>
      <section ref={scroller} className="messages" aria-label={t('chat.messages', { name })}>
        <div className="messages-spacer" />
        <ol className="messages-list" style={{ blockSize: list.getTotalSize() }}>
          {!timeline.reachesStart && (
            <li className="messages-row">
              <LoadingRow page={older} text={t('chat.loadingOlder')} />
            </li>
          )}
          {items.map(item => {
            const row = rows[item.index]
            if (!row) return null
            return (
              <li
                key={item.key}
                ref={list.measureElement}
                data-index={item.index}
                tabIndex={isStop(row) ? (item.index === current ? 0 : -1) : undefined}
                className={row.key === soughtId ? 'messages-row sought' : 'messages-row'}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <CurrentRow value={item.index === current || !isStop(row)}>
                  <MessageBoundary message={row}>
                    {row.kind === 'message' ? (
                      <MessageRow
                        message={row.message}
                        isGrouped={row.isGrouped}
                        editing={editing === row.message.id}
                        onEdit={onEdit}
                      />
                    ) : row.kind === 'pending' ? (
                      <PendingRow pending={row.pending} isGrouped={row.isGrouped} />
                    ) : row.kind === 'invocation' ? (
                      <InvocationRow invocation={row.invocation} />
                    ) : row.kind === 'day' ? (
                      <DayDivider at={row.at} />
                    ) : row.kind === 'unreadDivider' ? (
                      <UnreadDivider />
                    ) : row.kind === 'start' ? (
                      <StartRow empty={timeline.messages.length === 0} />
                    ) : (
                      <LoadingRow page={newer} text={t('chat.loadingNewer')} />
                    )}
                  </MessageBoundary>
                </CurrentRow>
              </li>
            )
          })}
        </ol>
      </section>
      {divider !== undefined && dividerIsAbove && (
        <UnreadBar timeline={timeline} divider={divider} onJump={() => setTarget('divider')} />
      )}
      {!showsNewest && <JumpButton unseen={unseen} onJump={jumpToEnd} />}
    </div>
  )
}

/** Whether the range starts after the divider, so that there may be unread messages before it. */
function startsAfter({ messages: [oldest], reachesStart }: Timeline, divider: string | undefined): boolean {
  return !reachesStart && divider !== undefined && oldest !== undefined && compareIds(oldest.id, divider) > 0
}
