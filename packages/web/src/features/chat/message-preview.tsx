import type { Message } from '@gatehouse/protocol/messages'
import { UserName } from '../../ui/user-name.tsx'
import { EmbedCards } from './embed-card.tsx'
import { FormattedText } from './formatted-text.tsx'
import { MessageBoundary } from './message-boundary.tsx'

/** A message in the dialog that confirms its deletion. */
export function MessagePreview({ message }: { message: Message }) {
  const { author, content, embeds, mentions } = message
  return (
    <blockquote className="preview">
      <UserName user={author} />
      <MessageBoundary message={message}>
        <FormattedText text={content} everyone={mentions.everyone} />
        <EmbedCards embeds={embeds} />
      </MessageBoundary>
    </blockquote>
  )
}
