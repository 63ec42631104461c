import { memo, Suspense } from 'react'
import { lazyPart } from '../ui/lazy-part.ts'
import { ExternalLink } from './external-link.tsx'
import { Mention } from './mention.tsx'
import { Moment } from './moment.tsx'
import { hasMarkdown, type Token, tokenize } from './tokens.ts'

const load = () => import('./markdown.tsx').then(part => part.Markdown)
const Markdown = lazyPart(load)

/** Fetches the parser while messages are on their way, so that their text does not change its shape before one's eyes. */
export function expectMarkdown(): void {
  // It is asked for again where it is needed.
  load().catch(() => undefined)
}

interface BodyProps {
  text: string
  /** Whether `@everyone` in it notified everyone. */
  everyone: boolean
}

/** A text as it was meant. The Markdown parser comes only when there is Markdown; till then the text stands as it is. */
export const Body = memo(function Body({ text, everyone }: BodyProps) {
  if (text === '') return null
  const plain = (
    <p>
      <Tokens tokens={tokenize(text, everyone)} />
    </p>
  )
  return (
    <div className={isOnlyEmoji(text) ? 'body large' : 'body'}>
      {hasMarkdown(text) ? (
        <Suspense fallback={plain}>
          <Markdown text={text} everyone={everyone} />
        </Suspense>
      ) : (
        plain
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
