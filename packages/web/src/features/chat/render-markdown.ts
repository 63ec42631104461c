import { escapeOtherFences, separateCode } from '@gatehouse/protocol/code-blocks'
import type { Code, Link, List, ListItem, Nodes, Paragraph, Parents, Root, Strong } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { createElement, Fragment, type ReactNode } from 'react'
import { safeHref } from '../../ui/safe-url.ts'
import { adaptBlocks } from './markdown-lines.ts'
import { chatSyntax, escapedBrackets } from './markdown-syntax.ts'
import { splitSpoilers } from './split-spoilers.ts'
import { type Token, tokenize } from './tokens.ts'

/** A mention or a timestamp. */
export type SpecialToken = Exclude<Token, { kind: 'text' | 'break' | 'link' }>

/** Renders elements that are more than HTML. `href` has passed `safeHref`. `text` is the text of `children`. */
export interface ElementRenderers {
  link(href: string, text: string, children: ReactNode): ReactNode
  token(token: SpecialToken): ReactNode
  /** `isBlock`: the children are paragraphs, lists and the like. */
  spoiler(children: ReactNode, isBlock: boolean): ReactNode
}

interface MarkdownOptions {
  /** Whether the message notified everyone, so that `@everyone` is a mention. */
  everyone: boolean
  renderers: ElementRenderers
}

type Point = NonNullable<Nodes['position']>['start']

interface Context extends MarkdownOptions {
  source: string
  spoilers: readonly SpoilerNode[]
  /** The number of blocks, or in a paragraph of emphasis, around a node. */
  depth: number
  /** Whether a node begins a block quote or list, which takes its direction from it. */
  isFirst: boolean
}

/**
 * Deeper blocks, and deeper emphasis, are shown as they were typed: browsers need much time and memory for deep
 * documents.
 */
const maxDepth = 10

/** What is between two `||`, and its content. */
interface SpoilerNode {
  text: string
  isBlock: boolean
  content: ReactNode
}

// A spoiler may contain blocks, and the parser sees this placeholder instead. The first character is in no text.
const placeholder = /\ufdd0(\d+);/

/** Renders untrusted Markdown: a node without a case in `renderNode` becomes plain text. */
export function renderMarkdown(text: string, options: MarkdownOptions): ReactNode {
  const spoilers: SpoilerNode[] = []
  const outer = splitSpoilers(text.replaceAll('\ufdd0', '\ufffd')).map((part, index) => {
    if (index % 2 === 0) return part
    const { tree, context } = parse(part, options, [])
    const [first, ...others] = tree.children
    const isInline = first?.type === 'paragraph' && others.length === 0 && !part.includes('\n')
    const content = isInline ? toFragment(renderChildren(first, context)) : renderNode(tree, context)
    const mark = `\ufdd0${spoilers.push({ text: part, isBlock: !isInline, content }) - 1};`
    return isInline ? mark : `\n\n${mark}\n\n`
  })
  const { tree, context } = parse(outer.join(''), options, spoilers)
  return renderNode(tree, context)
}

function parse(
  text: string,
  options: MarkdownOptions,
  spoilers: readonly SpoilerNode[],
): { tree: Root; context: Context } {
  const source = adaptBlocks(escapeOtherFences(separateCode(text, { languages: true })))
  const tree = fromMarkdown(source, { extensions: [chatSyntax], mdastExtensions: [escapedBrackets] })
  return { tree, context: { ...options, source, spoilers, depth: 0, isFirst: false } }
}

function renderNode(node: Nodes, context: Context): ReactNode {
  switch (node.type) {
    case 'text':
      return toFragment(renderText(trimLines(node.value), context))
    case 'break':
      return createElement('br')
    case 'strong':
      return renderNested(strongTag(node, context), node, context)
    case 'emphasis':
      return renderNested('em', node, context)
    case 'inlineCode':
      return createElement('code', { dir: 'ltr' }, restoreSpoilers(node.value, context))
    case 'link':
      return renderLink(node, context)
    case 'paragraph':
      return renderParagraph(node, context)
    case 'heading':
      return createElement(
        'p',
        {
          ...direction(context),
          className: typedAt(node, context).startsWith('-') ? 'body-subtext' : 'body-heading',
        },
        ...renderChildren(node, { ...context, depth: 0 }),
      )
    case 'blockquote':
      return renderNested('blockquote', node, context)
    case 'code':
      return renderCode(node, context)
    case 'list':
      return renderList(node, context)
    default:
      return 'children' in node ? toFragment(renderChildren(node, context)) : textOf(node)
  }
}

function renderChildren(node: Parents, context: Context): ReactNode[] {
  return node.children.map(child => renderNode(child, context))
}

function renderNested(
  tag: 'strong' | 'u' | 'del' | 'em' | 'blockquote',
  node: Parents,
  context: Context,
): ReactNode {
  if (context.depth >= maxDepth) {
    const typed = renderSource(node, context)
    return tag === 'blockquote' ? createElement('p', direction(context), typed) : typed
  }
  const inside = { ...context, depth: context.depth + 1 }
  if (tag !== 'blockquote') return createElement(tag, null, ...renderChildren(node, inside))
  const blocks = node.children.map((child, index) => renderNode(child, { ...inside, isFirst: index === 0 }))
  return createElement(tag, direction(context), ...blocks)
}

/** A block has the direction of its first strong letter (community/text-direction). */
function direction({ isFirst }: Context): { dir: 'auto' } | null {
  return isFirst ? null : { dir: 'auto' }
}

function renderParagraph(node: Paragraph, context: Context): ReactNode {
  const spoiler = context.spoilers[Number(placeholder.exec(textOf(node))?.[1])]
  const children = renderChildren(node, { ...context, depth: 0 })
  return spoiler?.isBlock ? toFragment(children) : createElement('p', direction(context), ...children)
}

/** `__` is underline and `~~` is strikethrough, as on Discord. */
function strongTag(node: Strong, context: Context): 'strong' | 'u' | 'del' {
  const mark = typedAt(node, context).charAt(0)
  return mark === '_' ? 'u' : mark === '~' ? 'del' : 'strong'
}

function typedAt({ position }: Nodes, { source }: Context): string {
  return source.slice(position?.start.offset, position?.end.offset)
}

/** Renders what the user typed. */
function renderSource({ position }: Nodes, context: Context): ReactNode {
  return renderTyped(context, position?.start, position?.end)
}

function renderTyped(context: Context, start?: Point, end?: Point): ReactNode {
  const typed = context.source.slice(start?.offset, end?.offset).replace(/\\([!-/:-@[-`{-~])/g, '$1')
  return toFragment(renderText(typed, context))
}

/** If the URL is not safe, for example because it has no scheme, the brackets remain. */
function renderLink(link: Link, context: Context): ReactNode {
  const href = safeHref(restoreSpoilers(link.url, context))
  if (href === undefined) {
    const { start, end } = link.position ?? {}
    const before = renderTyped(context, start, link.children[0]?.position?.start ?? end)
    const after = renderTyped(context, link.children.at(-1)?.position?.end ?? end, end)
    return toFragment([before, ...renderChildren(link, context), after])
  }
  const text = textOf(link)
  if (placeholder.test(text)) {
    const shown = text.replace(
      /\ufdd0(\d+);/g,
      (_, index: string) => context.spoilers[Number(index)]?.text ?? '',
    )
    return context.renderers.spoiler(context.renderers.link(href, shown, shown), false)
  }
  const children = toFragment(link.children.map(child => renderLinkContent(child, { ...context, depth: 0 })))
  return context.renderers.link(href, text, children)
}

/** Does not render mentions and nested links. */
function renderLinkContent(node: Nodes, context: Context): ReactNode {
  if (!('children' in node) || context.depth >= maxDepth) {
    return node.type === 'inlineCode' ? createElement('code', { dir: 'ltr' }, node.value) : textOf(node)
  }
  const inside = { ...context, depth: context.depth + 1 }
  const inner = toFragment(node.children.map(child => renderLinkContent(child, inside)))
  if (node.type === 'strong') return createElement(strongTag(node, context), null, inner)
  return node.type === 'emphasis' ? createElement('em', null, inner) : inner
}

function renderCode({ lang, value }: Code, context: Context): ReactNode {
  const className = lang ? `language-${lang}` : undefined
  return createElement(
    'pre',
    { dir: 'ltr' },
    createElement('code', { className }, restoreSpoilers(value, context)),
  )
}

function renderList(list: List, outer: Context): ReactNode {
  if (outer.depth >= maxDepth) return createElement('p', direction(outer), renderSource(list, outer))
  const context = { ...outer, depth: outer.depth + 1 }
  const isLoose = list.spread || list.children.some(item => item.spread)
  const items = list.children.map((item, at) =>
    createElement(
      'li',
      direction({ ...context, isFirst: at === 0 }),
      ...item.children.map((child, index) =>
        renderItemChild(child, isLoose === true, { ...context, isFirst: index === 0 }),
      ),
    ),
  )
  if (!list.ordered) return createElement('ul', direction(outer), ...items)
  const start = list.start === 1 ? undefined : (list.start ?? undefined)
  return createElement('ol', { ...direction(outer), start }, ...items)
}

/** The paragraphs of a tight list have no `<p>` (CommonMark 0.31, section 5.3). */
function renderItemChild(child: ListItem['children'][number], isLoose: boolean, context: Context): ReactNode {
  return child.type === 'paragraph' && !isLoose
    ? toFragment(renderChildren(child, { ...context, depth: 0 }))
    : renderNode(child, context)
}

/** Renders the spoilers and tokens of the text. */
function renderText(text: string, context: Context): ReactNode[] {
  return text.split(placeholder).flatMap((part, index) => {
    if (index % 2 === 0) return tokenize(part, context.everyone).map(token => renderToken(token, context))
    const spoiler = context.spoilers[Number(part)]
    return spoiler ? [context.renderers.spoiler(spoiler.content, spoiler.isBlock)] : []
  })
}

/** In a URL, `||` is not a spoiler. */
function restoreSpoilers(text: string, { spoilers }: Context): string {
  return text.replace(/\ufdd0(\d+);/g, (_, index: string) => `||${spoilers[Number(index)]?.text}||`)
}

function renderToken(token: Token, context: Context): ReactNode {
  if (token.kind === 'text') return token.text
  if (token.kind === 'break') return createElement('br')
  const { renderers } = context
  return token.kind === 'link' ? renderers.link(token.href, token.text, token.text) : renderers.token(token)
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
