import type { Element } from 'hast'
import { useMemo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import { ExternalLink } from './external-link.tsx'
import { endBlocks } from './markdown-lines.ts'
import { markdownRules } from './markdown-rules.ts'
import { Mention } from './mention.tsx'
import { Moment } from './moment.tsx'
import { safeHref } from './tokens.ts'

const heading: Components['h1'] = ({ children }) => <p className="body-heading">{children}</p>

const components: Components = {
  a: ({ href, children }) => {
    const safe = safeHref(href)
    return safe ? <ExternalLink href={safe}>{children}</ExternalLink> : <span>{children}</span>
  },
  // Only marked pieces become a span (see `findTokens`): Markdown itself makes none.
  span: ({ node }) => <Marked node={node} />,
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
}

export function Markdown({ text, everyone }: { text: string; everyone: boolean }) {
  const rules = useMemo(() => markdownRules(everyone), [everyone])
  return (
    <ReactMarkdown {...rules} components={components}>
      {endBlocks(text)}
    </ReactMarkdown>
  )
}

function Marked({ node }: { node: Element | undefined }) {
  const { kind, value } = node?.properties ?? {}
  if (typeof value !== 'string') return null
  if (kind === 'user' || kind === 'role' || kind === 'channel') return <Mention kind={kind} id={value} />
  if (kind === 'moment') return <Moment moment={value} />
  return <span className="mention">{value}</span>
}
