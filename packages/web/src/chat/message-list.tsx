import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { InvocationRow } from '../commands/invocation-row.tsx'
import { useI18n } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { useChannel } from './channel-context.ts'
import { DayLine } from './day-line.tsx'
import { MessageRow } from './message-row.tsx'
import { PendingRow } from './pending-row.tsx'
import { buildRows, type Row } from './rows.ts'
import { StartRow } from './start-row.tsx'
import type { Timeline } from './timeline.ts'

interface MessageListProps {
  timeline: Timeline
  editing: string | undefined
  onEdit(messageId: string | undefined): void
}

const heights = { older: 120, start: 150, day: 40, invocation: 56 } as const

function estimate(row: Row | undefined): number {
  if (!row) return 44
  if (row.kind === 'message' || row.kind === 'pending') return row.follows ? 28 : 62
  return heights[row.kind]
}

/** Messages with the newest at the bottom. Only what is near the view is in the document. */
export function MessageList({ timeline, editing, onEdit }: MessageListProps) {
  const { t, dates } = useI18n()
  const { invocations } = useClient()
  const { channel, name, self } = useChannel()
  const scroller = useRef<HTMLDivElement>(null)
  const used = useStore(invocations.store, list => list)
  const here = useMemo(() => used.filter(({ channelId }) => channelId === channel.id), [used, channel.id])
  const rows = useMemo(() => buildRows(timeline, here, self.id, dates), [timeline, here, self.id, dates])
  const [atEnd, setAtEnd] = useState(true)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => estimate(rows[index]),
    getItemKey: index => rows[index]?.key ?? index,
    overscan: 8,
    paddingEnd: 18,
    scrollPaddingEnd: 18,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: 80,
    onChange: instance => setAtEnd(instance.isAtEnd(80)),
  })

  // Until the list stands at its end, its start is no wish for older messages.
  const [placed, setPlaced] = useState(false)
  useLayoutEffect(() => {
    list.scrollToEnd()
    const frame = requestAnimationFrame(() => setPlaced(true))
    return () => cancelAnimationFrame(frame)
  }, [list])

  // What one sends oneself is seen at once, wherever one was reading.
  const lastPending = timeline.pending.at(-1)?.nonce
  const lastUsed = here.at(-1)?.nonce
  useEffect(() => {
    if (lastPending || lastUsed) list.scrollToEnd()
  }, [list, lastPending, lastUsed])

  const unseen = useUnseen(timeline, atEnd)
  const items = list.getVirtualItems()
  const nearStart = placed && (items[0]?.index ?? 1) === 0 && rows[0]?.kind === 'older'
  const { failed, retryOlder } = useOlder(channel.id, nearStart)

  return (
    <div className="messages-frame">
      <section ref={scroller} className="messages" aria-label={t('chat.messages', { name })}>
        <div className="messages-spacer" />
        <ol className="messages-list" style={{ blockSize: list.getTotalSize() }}>
          {items.map(item => {
            const row = rows[item.index]
            if (!row) return null
            return (
              <li
                key={item.key}
                ref={list.measureElement}
                data-index={item.index}
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
                ) : row.kind === 'start' ? (
                  <StartRow empty={timeline.messages.length === 0} />
                ) : (
                  <OlderRow failed={failed} onRetry={retryOlder} />
                )}
              </li>
            )
          })}
        </ol>
      </section>
      {!atEnd && (
        <button type="button" className="jump" onClick={() => list.scrollToEnd()}>
          <Icon name="down" />
          {unseen > 0 ? t('chat.newMessages', { count: unseen }) : t('chat.jump')}
        </button>
      )}
    </div>
  )
}

function OlderRow({ failed, onRetry }: { failed: boolean; onRetry(): void }) {
  const { t } = useI18n()
  return (
    <div className="older" role="status">
      {failed ? (
        <button type="button" className="button soft small" onClick={onRetry}>
          {t('app.retry')}
        </button>
      ) : (
        <>
          <span className="unseen">{t('chat.loadingOlder')}</span>
          <span className="skeleton line-ghost" style={{ inlineSize: '30%' }} />
          <span className="skeleton line-ghost" style={{ inlineSize: '55%' }} />
          <span className="skeleton line-ghost" style={{ inlineSize: '42%' }} />
        </>
      )}
    </div>
  )
}

/** Loads the next page when its place comes near; again by the person where that failed. */
function useOlder(channelId: string, near: boolean) {
  const { timelines } = useClient()
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  useEffect(() => {
    // A page may be shorter than the view: then its place is near still, and the next one follows.
    if (!near || state !== 'idle') return
    setState('busy')
    timelines.loadOlder(channelId).then(
      () => setState('idle'),
      () => setState('failed'),
    )
  }, [timelines, channelId, near, state])
  return { failed: state === 'failed', retryOlder: useCallback(() => setState('idle'), []) }
}

/** How many messages came while one was reading further up. */
function useUnseen(timeline: Timeline, atEnd: boolean): number {
  const newest = timeline.messages.at(-1)?.id
  const [seen, setSeen] = useState(newest)
  if (atEnd && seen !== newest) setSeen(newest)
  if (atEnd || seen === newest) return 0
  const from = timeline.messages.findLastIndex(({ id }) => id === seen)
  return from < 0 ? 0 : timeline.messages.length - 1 - from
}
