import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { InvocationRow } from '../commands/invocation-row.tsx'
import { useI18n } from '../i18n/i18n.tsx'
import { useChannel } from './channel-context.ts'
import { DayLine } from './day-line.tsx'
import { JumpButton } from './jump-button.tsx'
import { MessageRow } from './message-row.tsx'
import { MoreRow } from './more-row.tsx'
import { NewBar, NewLine } from './new-line.tsx'
import { PendingRow } from './pending-row.tsx'
import { isStop, useRowKeys, withIndex } from './row-keys.ts'
import { buildRows, type Row } from './rows.ts'
import { StartRow } from './start-row.tsx'
import { compareIds, type Timeline } from './timeline.ts'
import { useAtEnd } from './use-at-end.ts'
import { usePages, useTrim, useUnseen } from './use-pages.ts'
import { useReading } from './use-reading.ts'
import { useSteadyEnd } from './use-steady-end.ts'

interface MessageListProps {
  timeline: Timeline
  editing: string | undefined
  onEdit(messageId: string | undefined): void
}

/** What stands above the first message that is loaded, while there are older ones. */
const olderHeight = 120
/** So many rows outside of the view are drawn; a page is asked for when its place is as near. */
const overscan = 8
/** So many pixels from the end one still reads what comes. */
const nearEndPx = 80
const heights = { newer: 120, start: 150, day: 40, new: 40, invocation: 56 } as const

function estimate(row: Row | undefined): number {
  if (!row) return 44
  if (row.kind === 'message' || row.kind === 'pending') return row.follows ? 28 : 62
  return heights[row.kind]
}

/** Messages with the newest at the bottom. Only what is near the view is in the document. */
export function MessageList({ timeline, editing, onEdit }: MessageListProps) {
  const { t, dates } = useI18n()
  const { invocations, timelines } = useClient()
  const { channel, name, self } = useChannel()
  const scroller = useRef<HTMLDivElement>(null)
  const used = useStore(invocations.store, list => list)
  const here = useMemo(() => used.filter(({ channelId }) => channelId === channel.id), [used, channel.id])
  const end = useAtEnd(nearEndPx)
  const atPresent = end.at && timeline.present
  const line = useReading(channel.id, timeline, atPresent)
  const rows = useMemo(
    () => buildRows(timeline, here, self.id, dates, line),
    [timeline, here, self.id, dates, line],
  )
  const frame = useRef<HTMLDivElement>(null)
  const keyboard = useRowKeys(rows, frame, index => list.scrollToIndex(index, { align: 'auto' }))
  // Another function makes the list reckon with every row anew.
  const estimateSize = useCallback((index: number) => estimate(rows[index]), [rows])
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows])
  const wasPresent = useRef(timeline.present)
  useEffect(() => {
    wasPresent.current = timeline.present
  }, [timeline.present])
  // A page that reaches the newest message is read from its start.
  const follows = timeline.present && wasPresent.current
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    overscan,
    // What has the focus stays in the document, wherever one scrolls to.
    rangeExtractor: range => withIndex(defaultRangeExtractor(range), keyboard.focused),
    // No row of its own: the place of the view is kept by its first row, which must be one that stays.
    paddingStart: timeline.complete ? 0 : olderHeight,
    paddingEnd: 18,
    scrollPaddingEnd: 18,
    anchorTo: 'end',
    followOnAppend: follows,
    scrollEndThreshold: nearEndPx,
    onChange: instance => end.look(instance, follows),
  })
  useSteadyEnd(list, scroller, end)

  // Until the list stands at its end, its start is no wish for older messages.
  const [placed, setPlaced] = useState(false)
  useLayoutEffect(() => {
    list.scrollToEnd()
    const frame = requestAnimationFrame(() => setPlaced(true))
    return () => cancelAnimationFrame(frame)
  }, [list])

  // What is jumped to may have been loaded for that, and is a row from now on.
  const [target, setTarget] = useState<'line' | 'end'>()
  const newIndex = rows.findIndex(({ kind }) => kind === 'new')
  useEffect(() => {
    if (!target) return
    setTarget(undefined)
    if (target === 'end') list.scrollToEnd()
    else list.scrollToIndex(Math.max(0, newIndex), { align: 'start' })
  }, [list, target, newIndex])
  const toEnd = useCallback(() => {
    const go = () => setTarget('end')
    // Where the newest messages are not to be had, what one sends is still at the end of these.
    timelines.loadPresent(channel.id).then(go, go)
  }, [timelines, channel.id])

  // What one sends oneself is seen at once, wherever one was reading.
  const lastPending = timeline.pending.at(-1)?.nonce
  const lastUsed = here.at(-1)?.nonce
  useEffect(() => {
    if (lastPending || lastUsed) toEnd()
  }, [toEnd, lastPending, lastUsed])

  const items = list.getVirtualItems()
  const { startIndex = 0, endIndex = 0 } = list.range ?? {}
  const above = placed && (newIndex < 0 ? startsAfter(timeline, line) : newIndex < startIndex)
  const unseen = useUnseen(timeline, atPresent)
  const nearStart = placed && !timeline.complete && startIndex <= overscan
  const newerIndex = timeline.present ? -1 : rows.findLastIndex(({ kind }) => kind === 'newer')
  const nearEnd = placed && newerIndex >= 0 && endIndex + overscan >= newerIndex
  const { older, newer } = usePages(channel.id, nearStart, nearEnd)
  const looked = rows.slice(startIndex).find(({ kind }) => kind === 'message')
  const around = atPresent ? timeline.messages.at(-1)?.id : looked?.key
  useTrim(timeline, channel.id, placed ? around : undefined, editing !== undefined)

  return (
    <div ref={frame} className="messages-frame" {...keyboard.props}>
      <section ref={scroller} className="messages" aria-label={t('chat.messages', { name })}>
        <div className="messages-spacer" />
        <ol className="messages-list" style={{ blockSize: list.getTotalSize() }}>
          {!timeline.complete && (
            <li className="messages-row">
              <MoreRow edge={older} text={t('chat.loadingOlder')} />
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
                tabIndex={isStop(row) ? -1 : undefined}
                className="messages-row"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {row.kind === 'message' ? (
                  <MessageRow
                    message={row.message}
                    follows={row.follows}
                    editing={editing === row.message.id}
                    onEdit={onEdit}
                  />
                ) : row.kind === 'pending' ? (
                  <PendingRow pending={row.pending} follows={row.follows} />
                ) : row.kind === 'invocation' ? (
                  <InvocationRow invocation={row.invocation} />
                ) : row.kind === 'day' ? (
                  <DayLine at={row.at} />
                ) : row.kind === 'new' ? (
                  <NewLine />
                ) : row.kind === 'start' ? (
                  <StartRow empty={timeline.messages.length === 0} />
                ) : (
                  <MoreRow edge={newer} text={t('chat.loadingNewer')} />
                )}
              </li>
            )
          })}
        </ol>
      </section>
      {line !== undefined && above && (
        <NewBar timeline={timeline} line={line} onJump={() => setTarget('line')} />
      )}
      {!atPresent && <JumpButton unseen={unseen} onJump={toEnd} />}
    </div>
  )
}

/** Whether what is loaded begins after the last message that was read, so that there are new ones above. */
function startsAfter({ messages: [oldest], complete }: Timeline, line: string | undefined): boolean {
  return !complete && line !== undefined && oldest !== undefined && compareIds(oldest.id, line) > 0
}
