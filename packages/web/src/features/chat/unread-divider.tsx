import { useRef, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { includesNext } from '../../core/stores/message-range.ts'
import { compareIds, type Timeline } from '../../core/stores/timeline.ts'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useReturnFocus } from './composer-focus.ts'

/** Shown above the first unread message. */
export function UnreadDivider() {
  const t = useT()
  return (
    <h2 className="day-divider unread-divider">
      <span>{t('chat.unreadDivider')}</span>
    </h2>
  )
}

interface UnreadBarProps {
  timeline: Timeline
  /** The id of the last read message. */
  divider: string
  onJump(): void
}

/** Shown while the divider is above the viewport. Jumps to it. */
export function UnreadBar({ timeline, divider, onJump }: UnreadBarProps) {
  const t = useT()
  const { timelines, unread } = useClient()
  const { channel, self } = useChannelContext()
  const [busy, setBusy] = useState(false)
  const bar = useRef<HTMLDivElement>(null)
  useReturnFocus(bar)
  const unreadMessages = timeline.messages.filter(
    ({ id, author }) => compareIds(id, divider) > 0 && author.id !== self.id,
  )
  const isComplete = timeline.reachesEnd && includesNext(timeline, divider)
  const count = unreadMessages.length
  // The others are the user's own, sent by another program.
  if (isComplete && count === 0) return null
  async function jump() {
    setBusy(true)
    try {
      await timelines.loadAround(channel.id, divider)
      onJump()
    } catch {
      // The user can press the button again. The connection bar shows that the service cannot be reached.
    }
    setBusy(false)
  }
  return (
    <div ref={bar} className="unread-bar">
      <button type="button" className="unread-bar-jump" disabled={busy} onClick={() => void jump()}>
        <Icon name="up" />
        {count === 0 ? t('chat.someNew') : t(isComplete ? 'chat.newMessages' : 'chat.manyNew', { count })}
      </button>
      <IconButton
        icon="close"
        label={t('chat.markAsRead')}
        onClick={() => unread.removeDivider(channel.id)}
      />
    </div>
  )
}
