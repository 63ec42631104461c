import { useMemo } from 'react'
import { ExternalLink } from './external-link.tsx'
import { Mention } from './mention.tsx'
import { type ElementRenderers, renderMarkdown, type SpecialToken } from './render-markdown.ts'
import { Spoiler } from './spoiler.tsx'
import { Timestamp } from './timestamp.tsx'

const renderers: ElementRenderers = {
  link: (href, text, children) => (
    <ExternalLink href={href} text={text}>
      {children}
    </ExternalLink>
  ),
  token: token => <TokenElement token={token} />,
  spoiler: (children, isBlock) => <Spoiler isBlock={isBlock}>{children}</Spoiler>,
}

export function Markdown({ text, everyone }: { text: string; everyone: boolean }) {
  return useMemo(() => renderMarkdown(text, { everyone, renderers }), [text, everyone])
}

function TokenElement({ token }: { token: SpecialToken }) {
  if (token.kind === 'timestamp') return <Timestamp value={token.value} />
  if (token.kind === 'everyone') return <span className="mention">{token.text}</span>
  return <Mention kind={token.kind} id={token.id} />
}
