import { memo } from 'react'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { ExternalLink } from './external-link.tsx'
import { Mention } from './mention.tsx'
import { Moment } from './moment.tsx'
import { hasMarkdown, type Token, tokenize } from './tokens.ts'

interface BodyProps {
  text: string
  /** Whether `@everyone` in it notified everyone. */
  everyone: boolean
}

/** A text as it was meant; as it was typed where what draws Markdown was not to be had. */
export const Body = memo(function Body({ text, everyone }: BodyProps) {
  const part = useStore(useClient().markdown.store, value => value)
  if (text === '') return null
  const Markdown = typeof part === 'string' || !hasMarkdown(text) ? undefined : part
  return (
    <div className={isOnlyEmoji(text) ? 'body large' : 'body'}>
      {Markdown ? (
        <Markdown text={text} everyone={everyone} />
      ) : (
        <p>
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
        return <ExternalLink key={key} href={token.href} />
      case 'everyone':
        return (
          <span key={key} className="mention">
            {token.text}
          </span>
        )
      case 'moment':
        return <Moment key={key} moment={token.moment} />
      default:
        return <Mention key={key} kind={token.kind} id={token.id} />
    }
  })
}
