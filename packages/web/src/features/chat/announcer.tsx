import { useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useStore } from '../../core/stores/store.ts'

/** A live region that announces new messages of the channel to screen readers (community/announcements). */
export function Announcer() {
  const { announcement, markdown } = useClient()
  const { channel, nameOf } = useChannelContext()
  const message = useStore(announcement, value => value)
  const renderer = useStore(markdown.store, value => value)
  // A screen reader may also announce the first content of the region, which was announced on another page before.
  const [first] = useState(message)
  const { id, author, content = '', embeds = [], mentions } = message ?? {}
  const { title, description = '' } = embeds[0] ?? {}
  const text = content || description
  const name = author && ((author.webhookId ? undefined : nameOf(author.id)) ?? author.displayName)
  const isShown = message !== first && message?.channelId === channel.id && (title || text)
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-atomic="true">
      {isShown && (
        <p key={id}>
          {name}:{' '}
          {(!content && title) ||
            (typeof renderer === 'string' ? (
              text
            ) : (
              <renderer.PlainText text={text} everyone={mentions?.everyone === true} />
            ))}
        </p>
      )}
    </div>
  )
}
