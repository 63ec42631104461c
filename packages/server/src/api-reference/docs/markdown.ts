import type { List, PhrasingContent, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { type Html, html } from './html.ts'

export interface MarkdownOptions {
  /** The target of a link in the page; undefined for a link to something that the service does not have. */
  linkOf?: (url: string) => string | undefined
  /** Returns an id that no other element of the page has. */
  claimId?: (id: string) => string
}

export interface Heading {
  id: string
  depth: number
  text: string
  /** The text below the heading. */
  content: string
}

interface Context extends Required<MarkdownOptions> {
  source: string
  headings: Heading[]
}

const plainText = /^[\p{L}\p{N} ,.;:()'"“”’/=%?–…-]*$/u

/** A description. Markdown, as in the specification of OpenAPI. */
export function renderText(text: string): Html {
  // Most descriptions are one plain sentence.
  return plainText.test(text) && /^[\p{L}]/u.test(text) ? html`<p>${text}</p>` : renderMarkdown(text).html
}

/** A description without paragraphs. */
export function renderInline(text: string): Html {
  const context = createContext(text, {})
  const blocks = fromMarkdown(text).children
  return html`${blocks.map(block => ('children' in block ? writeInlines(block.children as PhrasingContent[], context) : ''))}`
}

/** CommonMark with the tables of GitHub. HTML in the text is shown as text; comments are omitted. */
export function renderMarkdown(
  source: string,
  options: MarkdownOptions = {},
): { html: Html; headings: readonly Heading[] } {
  const context = createContext(source, options)
  const blocks = fromMarkdown(source).children
  const rendered = html`${blocks.map(block => writeBlock(block, context))}`
  return { html: rendered, headings: context.headings }
}

function createContext(
  source: string,
  { linkOf = url => url, claimId = id => id }: MarkdownOptions,
): Context {
  return { source, linkOf, claimId, headings: [] }
}

function writeBlock(node: RootContent, context: Context): Html {
  switch (node.type) {
    case 'heading': {
      const text = textOf(node)
      const id = context.claimId(anchorOf(text))
      context.headings.push({ id, depth: node.depth, text, content: '' })
      return writeHeading(node.depth, id, writeInlines(node.children, context))
    }
    case 'paragraph': {
      const lines = linesOf(node, context)
      if (isTable(lines)) return writeTable(lines, context)
      addContent(textOf(node), context)
      return html`<p>${writeInlines(node.children, context)}</p>`
    }
    case 'code':
      return writeCode(node.value, node.lang ?? '')
    case 'list':
      return writeList(node, context)
    case 'blockquote':
      return html`<blockquote>${node.children.map(child => writeBlock(child, context))}</blockquote>`
    case 'thematicBreak':
      return html`<hr>`
    case 'html':
      return node.value.startsWith('<!--') ? html`` : html`<p>${node.value}</p>`
    default:
      return html``
  }
}

function writeHeading(depth: number, id: string, content: Html): Html {
  switch (depth) {
    case 1:
      return html`<h1 id="${id}">${content}</h1>`
    case 2:
      return html`<h2 id="${id}">${content}</h2>`
    case 3:
      return html`<h3 id="${id}">${content}</h3>`
    default:
      return html`<h4 id="${id}">${content}</h4>`
  }
}

/** A block of code. It can have the focus, so that the keyboard can scroll it. */
export function writeCode(code: string, language: string): Html {
  return html`<pre tabindex="0" lang="en"><code data-language="${language}">${code}</code></pre>`
}

function writeList(list: List, context: Context): Html {
  const items = list.children.map(item => {
    const loose = list.spread === true || item.spread === true
    return html`<li>${item.children.map(child =>
      child.type === 'paragraph' && !loose && !isTable(linesOf(child, context))
        ? writeInlines(child.children, context)
        : writeBlock(child, context),
    )}</li>`
  })
  for (const item of list.children) addContent(textOf(item), context)
  if (!list.ordered) return html`<ul class="list">${items}</ul>`
  return html`<ol class="list" start="${list.start ?? 1}">${items}</ol>`
}

function writeInlines(nodes: readonly PhrasingContent[], context: Context): Html {
  return html`${nodes.map(node => writeInline(node, context))}`
}

function writeInline(node: PhrasingContent, context: Context): Html {
  switch (node.type) {
    case 'text':
      return html`${node.value}`
    case 'inlineCode':
      return html`<code>${node.value}</code>`
    case 'emphasis':
      return html`<em>${writeInlines(node.children, context)}</em>`
    case 'strong':
      return html`<strong>${writeInlines(node.children, context)}</strong>`
    case 'break':
      return html`<br>`
    case 'link': {
      const content = writeInlines(node.children, context)
      const target = context.linkOf(node.url)
      return target !== undefined && isSafe(target) ? html`<a href="${target}">${content}</a>` : content
    }
    case 'html':
      return html`${node.value}`
    default:
      return html`${textOf(node)}`
  }
}

/** No `javascript:` and the like. */
function isSafe(url: string): boolean {
  return /^(https?:\/\/|\/(?!\/)|#)/.test(url)
}

function linesOf(node: RootContent, { source }: Context): string[] {
  const { start, end } = node.position ?? {}
  return source
    .slice(start?.offset, end?.offset)
    .split('\n')
    .map(line => line.trim())
}

// CommonMark has no tables: the parser returns them as paragraphs.
function isTable([head = '', delimiters = '']: readonly string[]): boolean {
  return head.startsWith('|') && /^\|(?:\s*:?-+:?\s*\|)+$/.test(delimiters)
}

function writeTable([head = '', , ...rows]: readonly string[], context: Context): Html {
  const cells = (line: string) => splitRow(line).map(cell => writeCell(cell, context))
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${cells(head).map(
    cell => html`<th scope="col">${cell}</th>`,
  )}</tr></thead><tbody>${rows.map(
    row => html`<tr>${cells(row).map(cell => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`
}

/** A `\|` belongs to the cell, also in code. */
function splitRow(line: string): string[] {
  const inner = line.replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'))
}

function writeCell(cell: string, context: Context): Html {
  const [block] = fromMarkdown(cell).children
  addContent(cell, context)
  return block?.type === 'paragraph' ? writeInlines(block.children, context) : html`${cell}`
}

function addContent(text: string, { headings }: Context): void {
  const heading = headings.at(-1)
  if (heading) heading.content += ` ${text}`
}

function textOf(node: object): string {
  if ('value' in node) return String(node.value)
  return 'children' in node ? (node.children as object[]).map(textOf).join('') : ''
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
