import type { Element, ElementContent, Root } from 'hast'
import type { Options } from 'react-markdown'
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

/** Markdown as in chat, whoever wrote it. `everyone`: whether `@everyone` in it notified everyone. */
export function markdownRules(everyone: boolean) {
  return {
    allowedElements: allowed,
    unwrapDisallowed: true,
    remarkPlugins: [chatSyntax],
    rehypePlugins: [[findTokens, { everyone }]],
    urlTransform: address => safeHref(address) ?? '',
  } as const satisfies Options
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

/** Bare links, mentions and line breaks in the texts, but not in code and links. */
function findTokens({ everyone }: { everyone: boolean }) {
  return (tree: Root) => visit(tree, everyone)
}

function visit(parent: Root | Element, everyone: boolean) {
  const children: (typeof parent.children)[number][] = []
  for (const child of parent.children) {
    // Between blocks a line break is only how Markdown was written.
    const between = child.type === 'text' && child.value.trim() === '' && isBlock(parent)
    if (child.type === 'text' && !between) {
      children.push(...struck(child.value, everyone))
      continue
    }
    if (child.type === 'element' && child.tagName !== 'code' && child.tagName !== 'a') visit(child, everyone)
    children.push(child)
  }
  parent.children = children as ElementContent[]
}

/** A text with what is struck out in it: `~~so~~` is of chat, not of Markdown. */
function struck(text: string, everyone: boolean): ElementContent[] {
  const nodes = (part: string) => tokenize(part, everyone).map(toNode)
  return text
    .split(/(~~(?=\S)[^~]+?(?<=\S)~~)/)
    .flatMap((part, index): ElementContent[] =>
      index % 2 === 0
        ? nodes(part)
        : [{ type: 'element', tagName: 'del', properties: {}, children: nodes(part.slice(2, -2)) }],
    )
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
    case 'moment':
      return marked('moment', token.moment)
    default:
      return marked(token.kind, token.id)
  }
}

function marked(kind: string, value: string): Element {
  return { type: 'element', tagName: 'span', properties: { kind, value }, children: [] }
}
