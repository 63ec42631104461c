import type { Translate } from '../../i18n/translate.ts'
import type { Reference, Schema } from './docs-document.ts'
import { listErrors } from './error-codes.ts'
import { type Html, html } from './html.ts'
import { listMessages } from './layout.ts'
import { renderInline } from './markdown.ts'

type Kind = 'operation' | 'group' | 'event' | 'object' | 'field' | 'error' | 'guide'

interface Entry {
  kind: Kind
  href: string
  title: string
  /** A sentence about it, or the path of an operation. */
  text: string
  /** Everything that can be found, in lower case. */
  words: string
}

/** A section of a guide. */
interface GuideSection {
  href: string
  title: string
  text: string
}

const maxQueryLength = 100
const maxHits = 30

/** Entries of a kind with a higher weight precede others that match equally well. */
const weights: Readonly<Record<Kind, number>> = {
  operation: 6,
  event: 5,
  group: 4,
  guide: 3,
  error: 3,
  object: 2,
  field: 1,
}

export type Search = ReturnType<typeof createSearch>

/** Finds operations, fields, events, errors and sections of the guides. */
export function createSearch(reference: Reference, sections: readonly GuideSection[]) {
  const entries = listEntries(reference, sections)
  return (query: string): Entry[] => {
    const words = query.slice(0, maxQueryLength).toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    return entries
      .filter(entry => words.every(word => entry.words.includes(word)))
      .map(entry => ({ entry, score: scoreOf(entry, words) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, maxHits)
      .map(({ entry }) => entry)
  }
}

function scoreOf({ kind, title }: Entry, words: readonly string[]): number {
  const lower = title.toLowerCase()
  const inTitle = words.filter(word => lower.includes(word)).length
  const whole = lower === words.join(' ') ? 200 : 0
  const start = lower.startsWith(words[0] ?? '') ? 20 : 0
  return whole + 50 * (inTitle / words.length) + start + weights[kind]
}

function listEntries(reference: Reference, sections: readonly GuideSection[]): Entry[] {
  const { operations, groups, schemas } = reference
  const entries: Entry[] = []
  function add(kind: Kind, href: string, title: string, text: string, more = ''): void {
    entries.push({ kind, href, title, text, words: `${title} ${text} ${more}`.toLowerCase() })
  }
  function addFields(href: string, prefix: string, schema: Schema | undefined, owner: string): void {
    for (const [name, { description = '' }] of Object.entries(schema?.properties ?? {}))
      add('field', `${href}#${prefix}-${name}`, name, `${owner}${description && `: ${description}`}`)
  }
  for (const { name, href, description } of groups) add('group', href, name, description)
  for (const { operationId, href, title, method, path, summary, description, ...operation } of operations) {
    add('operation', href, title, `${method} ${path}`, `${operationId} ${summary} ${description ?? ''}`)
    for (const { name, in: place, description: text, schema } of operation.parameters) {
      if (place === 'path') continue
      add('field', `${href}#${place}-${name}`, name, `${title}: ${text ?? schema.description ?? ''}`)
    }
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}).slice(0, 1))
      addFields(href, 'body', schema, title)
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const href = `/docs/objects/${name}`
    add('object', href, name, schema.description ?? '')
    addFields(href, 'field', schema, name)
  }
  for (const { name, href, summary = '' } of listMessages(reference)) add('event', href, name, summary)
  for (const { code, description } of reference.gateway.closeCodes)
    add('error', `/docs/gateway#close-${code}`, String(code), description)
  for (const { entries: errors } of listErrors(reference))
    for (const { id, code, status, meaning } of errors)
      add('error', `/docs/errors#${id}`, code, `${status}: ${meaning}`)
  for (const { href, title, text } of sections) add('guide', href, title, shorten(text), text)
  return entries
}

function shorten(text: string): string {
  const trimmed = text.trim()
  return trimmed.length > 120 ? `${trimmed.slice(0, 119).trimEnd()}…` : trimmed
}

/** The names of the kinds, translated. */
function kindName(kind: Kind, t: Translate): string {
  switch (kind) {
    case 'operation':
      return t('docs.kindOperation')
    case 'group':
      return t('docs.kindGroup')
    case 'event':
      return t('docs.kindEvent')
    case 'object':
      return t('docs.kindObject')
    case 'field':
      return t('docs.kindField')
    case 'error':
      return t('docs.kindError')
    case 'guide':
      return t('docs.kindGuide')
  }
}

/** The page with the results. The script shows its list below the search field. */
export function writeSearch(query: string, search: Search, t: Translate): Html {
  const hits = search(query)
  const message =
    query.trim() === ''
      ? t('docs.searchHint')
      : hits.length === 0
        ? t('docs.nothingFound')
        : t('docs.found', { count: hits.length })
  return html`<article><h1>${t('docs.search')}</h1><p id="found">${message}</p><ul class="found">${hits.map(
    ({ kind, href, title, text }) =>
      html`<li><a class="hit" href="${href}"><span class="kind">${kindName(kind, t)}</span> <strong lang="en">${title}</strong> <span class="quiet" lang="en">${renderInline(
        withoutLinks(text),
      )}</span></a></li>`,
  )}</ul></article>`
}

/** The text is inside a link. */
function withoutLinks(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<?https?:\/\/\S+>?/g, url => url.replace(/[<>]/g, ''))
}
