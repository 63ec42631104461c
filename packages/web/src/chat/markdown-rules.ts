import type { Code, List, ListItem, Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { createElement, Fragment, type ReactNode } from 'react'
import { safeHref, type Token, tokenize } from './tokens.ts'

/** A mention or a moment. */
export type Mark = Exclude<Token, { kind: 'text' | 'break' | 'link' }>

/** What the client draws in its own way. `href` is safe. */
export interface Parts {
  link(href: string, children: ReactNode): ReactNode
  mark(mark: Mark): ReactNode
}

interface Context {
  /** Whether `@everyone` in the text notified everyone. */
  everyone: boolean
  parts: Parts
}

/** Markdown as in chat: no HTML, no pictures, no tables of links, no code by indentation, no titles by underlining. */
const chatSyntax = {
  disable: {
    null: ['codeIndented', 'definition', 'htmlFlow', 'htmlText', 'setextUnderline', 'labelStartImage'],
  },
}

/** A stranger's Markdown: only what has a case in `draw` becomes more than text. */
export function drawMarkdown(text: string, context: Context): ReactNode {
  return draw(fromMarkdown(text, { extensions: [chatSyntax] }), context)
}

function draw(node: Nodes, context: Context): ReactNode {
  switch (node.type) {
    case 'text':
      return together(struck(withoutEdges(node.value), context))
    case 'break':
      return createElement('br')
    case 'strong':
      return createElement('strong', null, ...childrenOf(node, context))
    case 'emphasis':
      return createElement('em', null, ...childrenOf(node, context))
    case 'inlineCode':
      return createElement('code', null, node.value)
    case 'link':
      return drawLink(safeHref(node.url), together(node.children.map(drawInLink)), context)
    case 'paragraph':
      return createElement('p', null, ...childrenOf(node, context))
    case 'heading':
      return createElement('p', { className: 'body-heading' }, ...childrenOf(node, context))
    case 'blockquote':
      return createElement('blockquote', null, ...childrenOf(node, context))
    case 'code':
      return drawCode(node)
    case 'list':
      return drawList(node, context)
    case 'thematicBreak':
      return createElement('hr')
    default:
      return 'children' in node ? together(childrenOf(node, context)) : textOf(node)
  }
}

function childrenOf(node: { children: readonly Nodes[] }, context: Context): ReactNode[] {
  return node.children.map(child => draw(child, context))
}

function drawLink(href: string | undefined, children: ReactNode, { parts }: Context): ReactNode {
  return href === undefined ? createElement('span', null, children) : parts.link(href, children)
}

/** In a link nothing else leads anywhere. */
function drawInLink(node: Nodes): ReactNode {
  const inner = 'children' in node ? together(node.children.map(drawInLink)) : textOf(node)
  if (node.type === 'strong') return createElement('strong', null, inner)
  if (node.type === 'emphasis') return createElement('em', null, inner)
  return node.type === 'inlineCode' ? createElement('code', null, inner) : inner
}

function drawCode({ lang, value }: Code): ReactNode {
  const className = lang ? `language-${lang}` : undefined
  return createElement('pre', null, createElement('code', { className }, value))
}

function drawList(list: List, context: Context): ReactNode {
  const isLoose = list.spread || list.children.some(item => item.spread)
  const items = list.children.map(item =>
    createElement('li', null, ...item.children.map(child => drawInItem(child, isLoose === true, context))),
  )
  if (!list.ordered) return createElement('ul', null, ...items)
  return createElement('ol', list.start === 1 ? null : { start: list.start ?? undefined }, ...items)
}

function drawInItem(child: ListItem['children'][number], isLoose: boolean, context: Context): ReactNode {
  return child.type === 'paragraph' && !isLoose ? together(childrenOf(child, context)) : draw(child, context)
}

/** A text with what is struck out in it: `~~so~~` is of chat, not of Markdown. */
function struck(text: string, context: Context): ReactNode[] {
  const pieces = (part: string) => tokenize(part, context.everyone).map(token => drawToken(token, context))
  return text
    .split(/(~~(?=\S)[^~]+?(?<=\S)~~)/)
    .map((part, index) =>
      index % 2 === 0 ? together(pieces(part)) : createElement('del', null, ...pieces(part.slice(2, -2))),
    )
}

function drawToken(token: Token, context: Context): ReactNode {
  if (token.kind === 'text') return token.text
  if (token.kind === 'break') return createElement('br')
  return token.kind === 'link' ? drawLink(token.href, token.href, context) : context.parts.mark(token)
}

function together(children: readonly ReactNode[]): ReactNode {
  return children.length === 1 ? children[0] : createElement(Fragment, null, ...children)
}

function textOf(node: Nodes): string {
  return 'value' in node ? node.value : ''
}

/** Spaces around a line break are how Markdown was written. */
function withoutEdges(text: string): string {
  return text.replace(/[ \t]*(\r?\n)[ \t]*/g, '$1')
}
