import { escapeOtherFences, separateCode } from '@gatehouse/protocol/code'
import type { Code, Link, List, ListItem, Nodes } from 'mdast'
import { fromMarkdown, type Options } from 'mdast-util-from-markdown'
import { createElement, Fragment, type ReactNode } from 'react'
import { safeHref } from '../../ui/safe-url.ts'
import { closeBlocks } from './markdown-lines.ts'
import { type Token, tokenize, urlLength } from './tokens.ts'

/** A mention or a timestamp. */
export type SpecialToken = Exclude<Token, { kind: 'text' | 'break' | 'link' }>

/** Renders elements that are more than HTML. `href` has passed `safeHref`. `text` is the text of `children`. */
export interface ElementRenderers {
  link(href: string, text: string, children: ReactNode): ReactNode
  token(token: SpecialToken): ReactNode
}

interface Context {
  /** Whether the message notified everyone, so that `@everyone` is a mention. */
  everyone: boolean
  renderers: ElementRenderers
}

type Syntax = NonNullable<Options['extensions']>[number]

/** No HTML, images, link definitions, indented code or setext headings. A URL is text, in which `_` and `*` mean nothing. */
const chatSyntax: Syntax = {
  disable: {
    null: ['codeIndented', 'definition', 'htmlFlow', 'htmlText', 'setextUnderline', 'labelStartImage'],
  },
  text: {
    // Every URL begins with this character.
    ['h'.charCodeAt(0)]: {
      tokenize(effects, ok, nok) {
        const start = this.now()
        // The rest of the line, because a tokenizer cannot look ahead.
        const rest = this.sliceSerialize({ start, end: { ...start, _bufferIndex: Infinity } })
        let remaining = urlLength(rest)
        if (remaining === 0) return nok
        const consume: typeof ok = code => {
          if (remaining === 0) {
            effects.exit('data')
            return ok(code)
          }
          remaining -= 1
          effects.consume(code)
          return consume
        }
        return code => {
          effects.enter('data')
          return consume(code)
        }
      },
    },
  },
}

/** Renders untrusted Markdown: a node without a case in `renderNode` becomes plain text. */
export function renderMarkdown(text: string, context: Context): ReactNode {
  const markdown = closeBlocks(escapeOtherFences(separateCode(text, { languages: true })))
  return renderNode(fromMarkdown(markdown, { extensions: [chatSyntax] }), context)
}

function renderNode(node: Nodes, context: Context): ReactNode {
  switch (node.type) {
    case 'text':
      return toFragment(renderText(trimLines(node.value), context))
    case 'break':
      return createElement('br')
    case 'strong':
      return createElement('strong', null, ...renderChildren(node, context))
    case 'emphasis':
      return createElement('em', null, ...renderChildren(node, context))
    case 'inlineCode':
      return createElement('code', null, node.value)
    case 'link':
      return renderLink(node, context)
    case 'paragraph':
      return createElement('p', null, ...renderChildren(node, context))
    case 'heading':
      return createElement('p', { className: 'body-heading' }, ...renderChildren(node, context))
    case 'blockquote':
      return createElement('blockquote', null, ...renderChildren(node, context))
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

function renderChildren(node: { children: readonly Nodes[] }, context: Context): ReactNode[] {
  return node.children.map(child => renderNode(child, context))
}

function renderLink(link: Link, { renderers }: Context): ReactNode {
  const href = safeHref(link.url)
  const children = toFragment(link.children.map(renderLinkContent))
  return href === undefined
    ? createElement('span', null, children)
    : renderers.link(href, textOf(link), children)
}

/** Does not render mentions and nested links. */
function renderLinkContent(node: Nodes): ReactNode {
  const inner = 'children' in node ? toFragment(node.children.map(renderLinkContent)) : textOf(node)
  if (node.type === 'strong') return createElement('strong', null, inner)
  if (node.type === 'emphasis') return createElement('em', null, inner)
  return node.type === 'inlineCode' ? createElement('code', null, inner) : inner
}

function renderCode({ lang, value }: Code): ReactNode {
  const className = lang ? `language-${lang}` : undefined
  return createElement('pre', null, createElement('code', { className }, value))
}

function renderList(list: List, context: Context): ReactNode {
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
    ? toFragment(renderChildren(child, context))
    : renderNode(child, context)
}

/** Renders `~~strikethrough~~`, which CommonMark does not have, and the tokens of the text. */
function renderText(text: string, context: Context): ReactNode[] {
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

function renderToken(token: Token, context: Context): ReactNode {
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
