import type { Element, ElementContent, Root } from 'hast'
import { useMemo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import { ExternalLink } from './external-link.tsx'
import { Mention } from './mention.tsx'
import { safeHref, type Token, tokenize } from './tokens.ts'

/** What may come out of a stranger's Markdown: everything else stays text. Pictures and HTML are never made. */
const allowed = [
  'p',
  'strong',
  'em',
  'del',
  'code',
  'pre',
  'a',
  'ul',
  'ol',
  'li',
  'blockquote',
  'br',
  'hr',
  'span',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
]

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
  const rehype = useMemo(() => [[findTokens, { everyone }] as [typeof findTokens, TokenOptions]], [everyone])
  return (
    <ReactMarkdown
      allowedElements={allowed}
      unwrapDisallowed
      components={components}
      remarkPlugins={[chatSyntax]}
      rehypePlugins={rehype}
      urlTransform={address => safeHref(address) ?? ''}
    >
      {text}
    </ReactMarkdown>
  )
}

interface Processor {
  data(): { micromarkExtensions?: unknown[] }
}

/** Markdown as in chat: no HTML, no tables of links, no code by indentation, no titles by underlining. */
function chatSyntax(this: unknown) {
  const data = (this as Processor).data()
  data.micromarkExtensions ??= []
  data.micromarkExtensions.push({
    disable: {
      null: ['codeIndented', 'definition', 'htmlFlow', 'htmlText', 'setextUnderline', 'labelStartImage'],
    },
  })
}

interface TokenOptions {
  everyone: boolean
}

/** Bare links, mentions and line breaks in the texts, but not in code and links. */
function findTokens({ everyone }: TokenOptions) {
  return (tree: Root) => visit(tree, everyone)
}

function visit(parent: Root | Element, everyone: boolean) {
  const children: (typeof parent.children)[number][] = []
  for (const child of parent.children) {
    // Between blocks a line break is only how Markdown was written.
    const between = child.type === 'text' && child.value.trim() === '' && isBlock(parent)
    if (child.type === 'text' && !between) {
      children.push(...tokenize(child.value, everyone).map(toNode))
      continue
    }
    if (child.type === 'element' && child.tagName !== 'code' && child.tagName !== 'a') visit(child, everyone)
    children.push(child)
  }
  parent.children = children as ElementContent[]
}

const blocks = new Set(['ul', 'ol', 'li', 'blockquote'])

function isBlock(parent: Root | Element): boolean {
  return parent.type === 'root' || blocks.has(parent.tagName)
}

function toNode(token: Token): ElementContent {
  switch (token.kind) {
    case 'text':
      return { type: 'text', value: token.text }
    case 'break':
      return { type: 'element', tagName: 'br', properties: {}, children: [] }
    case 'link':
      return {
        type: 'element',
        tagName: 'a',
        properties: { href: token.href },
        children: [{ type: 'text', value: token.href }],
      }
    case 'everyone':
      return marked('everyone', token.text)
    default:
      return marked(token.kind, token.id)
  }
}

function marked(kind: string, value: string): Element {
  return { type: 'element', tagName: 'span', properties: { kind, value }, children: [] }
}

function Marked({ node }: { node: Element | undefined }) {
  const { kind, value } = node?.properties ?? {}
  if (typeof value !== 'string') return null
  if (kind === 'user' || kind === 'role' || kind === 'channel') return <Mention kind={kind} id={value} />
  return <span className="mention">{value}</span>
}
