import { useRef, useState } from 'react'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { useChannel } from './channel-context.ts'
import { useFocusLeft } from './composer-focus.ts'
import { reaches } from './run.ts'
import { compareIds, type Timeline } from './timeline.ts'

/** Above the first message that is new. */
export function NewLine() {
  const t = useT()
  return (
    <h2 className="day new-line">
      <span>{t('chat.newLine')}</span>
    </h2>
  )
}

interface NewBarProps {
  timeline: Timeline
  /** The id after which the messages are new. */
  line: string
  onJump(): void
}

/** Says that there is news further up, with the way there. */
export function NewBar({ timeline, line, onJump }: NewBarProps) {
  const t = useT()
  const { timelines, unread } = useClient()
  const { channel, self } = useChannel()
  const [busy, setBusy] = useState(false)
  const bar = useRef<HTMLDivElement>(null)
  useFocusLeft(bar)
  const news = timeline.messages.filter(({ id, author }) => compareIds(id, line) > 0 && author.id !== self.id)
  const all = timeline.present && reaches(timeline, line)
  async function jump() {
    setBusy(true)
    try {
      await timelines.loadFrom(channel.id, line)
      onJump()
    } catch {
      // One stays where one is, and may press again; the bar above says that the service is not reached.
    }
    setBusy(false)
  }
  return (
    <div ref={bar} className="new-bar">
      <button type="button" className="new-bar-jump" disabled={busy} onClick={() => void jump()}>
        <Icon name="up" />
        {all ? t('chat.newMessages', { count: news.length }) : t('chat.manyNew', { count: news.length })}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={t('chat.newSeen')}
        title={t('chat.newSeen')}
        onClick={() => unread.dropLine(channel.id)}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}
