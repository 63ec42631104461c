import { memo } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useStore } from '../../core/stores/store.ts'
import { ChatLink } from './chat-link.tsx'
import { Mention } from './mention.tsx'
import { Timestamp } from './timestamp.tsx'
import { hasMarkdown, type Token, tokenize } from './tokens.ts'

interface FormattedTextProps {
  text: string
  /** Whether the message notified everyone, so that `@everyone` is a mention. */
  everyone: boolean
}

/** Renders Markdown, or the plain text if the renderer could not be loaded. */
export const FormattedText = memo(function FormattedText({ text, everyone }: FormattedTextProps) {
  const renderer = useStore(useClient().markdown.store, value => value)
  if (text === '') return null
  const Markdown = typeof renderer === 'string' || !hasMarkdown(text) ? undefined : renderer.Markdown
  return (
    <div className={isOnlyEmoji(text) ? 'body large' : 'body'}>
      {Markdown ? (
        <Markdown text={text} everyone={everyone} />
      ) : (
        <p dir="auto">
          <Tokens tokens={tokenize(text, everyone)} />
        </p>
      )}
    </div>
  )
})

function isOnlyEmoji(text: string): boolean {
  return text.length <= 40 && /^(?:\p{RGI_Emoji}\s*){1,8}$/v.test(text)
}

function Tokens({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map((token, index) => {
    const key = `${index}${token.kind}`
    switch (token.kind) {
      case 'text':
        return token.text
      case 'break':
        return <br key={key} />
      case 'link':
        return <ChatLink key={key} href={token.href} />
      case 'everyone':
        return (
          <span key={key} className="mention">
            {token.text}
          </span>
        )
      case 'timestamp':
        return <Timestamp key={key} value={token.value} />
      default:
        return <Mention key={key} kind={token.kind} id={token.id} />
    }
  })
}
