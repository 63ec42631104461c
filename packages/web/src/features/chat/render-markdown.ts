import { escapeOtherFences, separateCode } from '@gatehouse/protocol/code'
import type { Code, Link, List, ListItem, Nodes, Parents } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { createElement, Fragment, type ReactNode } from 'react'
import { safeHref } from '../../ui/safe-url.ts'
import { closeBlocks, escapeDeepBlocks } from './markdown-lines.ts'
import { chatSyntax, escapedBrackets } from './markdown-syntax.ts'
import { type Token, tokenize } from './tokens.ts'

/** A mention or a timestamp. */
export type SpecialToken = Exclude<Token, { kind: 'text' | 'break' | 'link' }>

/** Renders elements that are more than HTML. `href` has passed `safeHref`. `text` is the text of `children`. */
export interface ElementRenderers {
  link(href: string, text: string, children: ReactNode): ReactNode
  token(token: SpecialToken): ReactNode
}

interface MarkdownOptions {
  /** Whether the message notified everyone, so that `@everyone` is a mention. */
  everyone: boolean
  renderers: ElementRenderers
}

type Point = NonNullable<Nodes['position']>['start']

interface Context extends MarkdownOptions {
  source: string
  /** The number of blocks, or in a paragraph of emphasis, around a node. */
  depth: number
}

/** Deeper blocks, and deeper emphasis, are shown as they were typed: browsers need much time and memory for deep documents. */
const maxDepth = 10

/** Renders untrusted Markdown: a node without a case in `renderNode` becomes plain text. */
export function renderMarkdown(text: string, options: MarkdownOptions): ReactNode {
  const source = closeBlocks(escapeDeepBlocks(escapeOtherFences(separateCode(text, { languages: true }))))
  const tree = fromMarkdown(source, { extensions: [chatSyntax()], mdastExtensions: [escapedBrackets] })
  return renderNode(tree, { ...options, source, depth: 0 })
}

function renderNode(node: Nodes, context: Context): ReactNode {
  switch (node.type) {
    case 'text':
      return toFragment(renderText(trimLines(node.value), context))
    case 'break':
      return createElement('br')
    case 'strong':
      return renderNested('strong', node, context)
    case 'emphasis':
      return renderNested('em', node, context)
    case 'inlineCode':
      return createElement('code', null, node.value)
    case 'link':
      return renderLink(node, context)
    case 'paragraph':
      return createElement('p', null, ...renderChildren(node, { ...context, depth: 0 }))
    case 'heading':
      return createElement(
        'p',
        { className: 'body-heading' },
        ...renderChildren(node, { ...context, depth: 0 }),
      )
    case 'blockquote':
      return renderNested('blockquote', node, context)
    case 'code':
      return renderCode(node)
    case 'list':
      return renderList(node, context)
    case 'thematicBreak':
      return createElement('hr')
    default:
      return 'children' in node ? toFragment(renderChildren(node, context)) : textOf(node)
  }
}

function renderChildren(node: Parents, context: Context): ReactNode[] {
  return node.children.map(child => renderNode(child, context))
}

function renderNested(tag: 'strong' | 'em' | 'blockquote', node: Parents, context: Context): ReactNode {
  if (context.depth >= maxDepth) {
    const typed = renderSource(node, context)
    return tag === 'blockquote' ? createElement('p', null, typed) : typed
  }
  return createElement(tag, null, ...renderChildren(node, { ...context, depth: context.depth + 1 }))
}

/** Renders what the user typed. */
function renderSource({ position }: Nodes, context: Context): ReactNode {
  return renderTyped(context, position?.start, position?.end)
}

function renderTyped({ source, ...context }: Context, start?: Point, end?: Point): ReactNode {
  const typed = source.slice(start?.offset, end?.offset).replace(/\\([!-/:-@[-`{-~])/g, '$1')
  return toFragment(renderText(typed, context))
}

/** If the URL is not safe, for example because it has no scheme, the brackets remain. */
function renderLink(link: Link, context: Context): ReactNode {
  const href = safeHref(link.url)
  if (href === undefined) {
    const { start, end } = link.position ?? {}
    const before = renderTyped(context, start, link.children[0]?.position?.start ?? end)
    const after = renderTyped(context, link.children.at(-1)?.position?.end ?? end, end)
    return toFragment([before, ...renderChildren(link, context), after])
  }
  const children = toFragment(link.children.map(child => renderLinkContent(child, 0)))
  return context.renderers.link(href, textOf(link), children)
}

/** Does not render mentions and nested links. */
function renderLinkContent(node: Nodes, depth: number): ReactNode {
  if (!('children' in node) || depth >= maxDepth) {
    return node.type === 'inlineCode' ? createElement('code', null, node.value) : textOf(node)
  }
  const inner = toFragment(node.children.map(child => renderLinkContent(child, depth + 1)))
  if (node.type === 'strong') return createElement('strong', null, inner)
  return node.type === 'emphasis' ? createElement('em', null, inner) : inner
}

function renderCode({ lang, value }: Code): ReactNode {
  const className = lang ? `language-${lang}` : undefined
  return createElement('pre', null, createElement('code', { className }, value))
}

function renderList(list: List, outer: Context): ReactNode {
  if (outer.depth >= maxDepth) return createElement('p', null, renderSource(list, outer))
  const context = { ...outer, depth: outer.depth + 1 }
  const isLoose = list.spread || list.children.some(item => item.spread)
  const items = list.children.map(item =>
    createElement(
      'li',
      null,
      ...item.children.map(child => renderItemChild(child, isLoose === true, context)),
    ),
  )
  if (!list.ordered) return createElement('ul', null, ...items)
  return createElement('ol', list.start === 1 ? null : { start: list.start ?? undefined }, ...items)
}

/** The paragraphs of a tight list have no `<p>` (CommonMark 0.31, section 5.3). */
function renderItemChild(child: ListItem['children'][number], isLoose: boolean, context: Context): ReactNode {
  return child.type === 'paragraph' && !isLoose
    ? toFragment(renderChildren(child, { ...context, depth: 0 }))
    : renderNode(child, context)
}

/** Renders `~~strikethrough~~`, which CommonMark does not have, and the tokens of the text. */
function renderText(text: string, context: MarkdownOptions): ReactNode[] {
  const renderTokens = (part: string) =>
    tokenize(part, context.everyone).map(token => renderToken(token, context))
  return text
    .split(/(~~(?=\S)[^~]+?(?<=\S)~~)/)
    .map((part, index) =>
      index % 2 === 0
        ? toFragment(renderTokens(part))
        : createElement('del', null, ...renderTokens(part.slice(2, -2))),
    )
}

function renderToken(token: Token, context: MarkdownOptions): ReactNode {
  if (token.kind === 'text') return token.text
  if (token.kind === 'break') return createElement('br')
  const { renderers } = context
  return token.kind === 'link' ? renderers.link(token.href, token.href, token.href) : renderers.token(token)
}

function toFragment(children: readonly ReactNode[]): ReactNode {
  return children.length === 1 ? children[0] : createElement(Fragment, null, ...children)
}

function textOf(node: Nodes): string {
  if ('children' in node) return node.children.map(textOf).join('')
  return 'value' in node ? node.value : ''
}

/** Removes the white space around line breaks. */
function trimLines(text: string): string {
  return text.replace(/[ \t]*(\r?\n)[ \t]*/g, '$1')
}
