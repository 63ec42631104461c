import { useEffect, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useIsFuture } from '../../core/servers/use-is-future.ts'
import type { Timeline } from '../../core/stores/timeline.ts'

/** `seconds` that the user waits after each message, 0 for none; until when they wait now (community/slow-mode). */
interface SlowMode {
  seconds: number
  until: string | undefined
}

export function useSlowMode({ messages, pending }: Timeline): SlowMode {
  const { channel, self, may } = useChannelContext()
  // A channel of an older node of the service has no slow mode.
  const seconds = may.manageMessages || may.manage ? 0 : (channel.slowMode ?? 0)
  const last = messages.findLast(({ author }) => author.id === self.id && author.webhookId === undefined)
  const ends = [
    ...(last ? [Date.parse(last.createdAt) + seconds * 1000] : []),
    ...pending.flatMap(({ createdAt, state, problem }) => {
      const wait =
        state === 'sending' ? seconds : problem?.code === 'slow_mode' ? (problem.retryAfter ?? 0) : 0
      return wait > 0 ? [Date.parse(createdAt) + wait * 1000] : []
    }),
  ]
  const end = seconds > 0 && ends.length > 0 ? new Date(Math.max(...ends)).toISOString() : undefined
  return { seconds, until: useIsFuture(end) ? end : undefined }
}

export function SlowModeHint({ id, slowMode: { seconds, until } }: { id: string; slowMode: SlowMode }) {
  const { t, dates } = useI18n()
  return (
    <p id={id} className="composer-hint">
      {until === undefined ? (
        t('chat.slowMode', { duration: dates.duration(seconds) })
      ) : (
        <Countdown until={until} />
      )}
    </p>
  )
}

function Countdown({ until }: { until: string }) {
  const { t } = useI18n()
  const { now } = useClient()
  const [, setRendered] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setRendered(count => count + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  const left = Math.max(0, Math.ceil((Date.parse(until) - now()) / 1000))
  const hours = Math.floor(left / 3600)
  const parts = [...(hours > 0 ? [hours] : []), Math.floor(left / 60) % 60, left % 60]
  const time = parts.map((part, index) => (index === 0 ? part : String(part).padStart(2, '0'))).join(':')
  return <span role="timer">{t('chat.slowModeWait', { time })}</span>
}
