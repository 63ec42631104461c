import type { Message } from '@gatehouse/protocol/messages'
import { Body } from './body.tsx'
import { EmbedCards } from './embed-card.tsx'

/** What a message says, where one is asked about it. */
export function MessagePreview({ message }: { message: Message }) {
  const { author, content, embeds, mentions } = message
  return (
    <blockquote className="preview">
      <strong>{author.displayName}</strong>
      <Body text={content} everyone={mentions.everyone} />
      <EmbedCards embeds={embeds} />
    </blockquote>
  )
}
