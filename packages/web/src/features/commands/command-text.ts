import type { RunnableCommand, RunnableOption } from '../../core/commands.ts'
import { type Candidate, findCandidate, hasMembers } from './candidates.ts'
import type { Entries, Entry } from './option-values.ts'

export type ComposedText =
  | { kind: 'text'; content: string }
  /** `//text` is sent with one slash removed. */
  | { kind: 'literal'; content: string }
  /** `/name rest` is sent as text only if the user confirms it. `hasSpace`: white space follows the name. */
  | { kind: 'command'; content: string; name: string; rest: string; hasSpace: boolean }

export function parseComposedText(text: string): ComposedText {
  const content = text.trim()
  if (!content.startsWith('/')) return { kind: 'text', content }
  if (content.startsWith('//')) return { kind: 'literal', content: content.slice(1) }
  const [, typedName = '', space = '', rest = ''] = /^\/(\S*)(\s?)([\s\S]*)$/u.exec(text.trimStart()) ?? []
  const name = typedName.normalize('NFC').toLowerCase()
  return { kind: 'command', content, name, rest, hasSpace: space !== '' }
}

export interface ParsedOptions {
  entries: Entries
  /** Text that belongs to no option. */
  leftover: string
  /** The option that the user types next, or undefined if all options are filled in. */
  next: string | undefined
}

/** Returns the values that the user can select, or undefined if the option accepts free text. */
export type GetCandidates = (option: RunnableOption) => readonly Candidate[] | undefined

/**
 * Parses the text after the name of a command. `name:value` sets the option of that name. Other values are assigned to
 * the unnamed options in their order. A value with spaces must be in quotation marks, or be the whole text of a
 * candidate. An option of free text that is named or the last one takes all text up to the next `name:`.
 */
export function parseOptions(
  options: readonly RunnableOption[],
  rest: string,
  getCandidates: GetCandidates,
): ParsedOptions {
  const tokens = tokenize(rest, options)
  const named = new Set(tokens.flatMap(({ option }) => option?.name ?? []))
  const unnamed = options.filter(({ name }) => !named.has(name))
  const entries: Record<string, Entry> = {}
  const leftovers: string[] = []
  let last: RunnableOption | undefined
  for (let index = 0, token = tokens[0]; token; token = tokens[index]) {
    const option = token.option ?? unnamed.shift()
    if (!option || entries[option.name]) {
      leftovers.push(rest.slice(token.start, token.end))
      index += 1
      continue
    }
    const takesRest = token.option ? !token.quoted : unnamed.length === 0
    const values = [token, ...tokens.slice(index + 1, findNextNamed(tokens, index))]
    const parsed = parseEntry(option, values, rest, takesRest, getCandidates(option))
    entries[option.name] = parsed.entry
    last = option
    index += parsed.count
  }
  const isOpen = last !== undefined && (entries[last.name]?.text === '' || !/\s$/u.test(rest))
  const next = isOpen ? last?.name : options.find(({ name }) => !entries[name])?.name
  return { entries, leftover: leftovers.join(' '), next }
}

/**
 * Splits the text in the field of one option if it contains values of others: `20 2` for two numbers, or `20 note:why`.
 * Undefined if the whole text belongs to this option.
 */
export function splitFieldText(
  options: readonly RunnableOption[],
  option: RunnableOption,
  text: string,
  entries: Entries,
  getCandidates: GetCandidates,
): ParsedOptions | undefined {
  const empty = options.filter(other => other !== option && !entries[other.name]?.text)
  const available = [option, ...empty]
  const tokens = tokenize(text, available)
  const isNamed = tokens.some(token => token.option)
  if (!isNamed && !isComplete(option, text, getCandidates(option))) return undefined
  const rest =
    isFreeText(option, getCandidates(option)) && !tokens[0]?.option ? `${option.name}:${text}` : text
  const parsed = parseOptions(available, rest, getCandidates)
  return parsed.leftover === '' ? parsed : undefined
}

/**
 * Whether the text may have spaces, so that only the name of another option ends it. The bot may suggest numbers for a
 * text.
 */
function isFreeText({ type, autocomplete }: RunnableOption, candidates: readonly Candidate[] | undefined) {
  return !candidates && (type === 'string' || autocomplete === true)
}

/** Whether a space after the value ends it. */
function isComplete(
  option: RunnableOption,
  text: string,
  candidates: readonly Candidate[] | undefined,
): boolean {
  if (!/\S\s/u.test(text) || isFreeText(option, candidates)) return false
  if (!candidates) return true
  const typed = text.trim().toLowerCase()
  const isPrefix = candidates.some(candidate =>
    candidate.text.toLowerCase().replace(/^[@#]/, '').startsWith(`${typed} `),
  )
  const values = tokenize(text, [])
  return !isPrefix && parseEntry(option, values, text, false, candidates).entry.value !== undefined
}

/** Formats the command as text, so that `parseOptions` returns the same values. */
export function formatCommand(
  { name, options }: Pick<RunnableCommand, 'name' | 'options'>,
  entries: Entries,
  getCandidates: GetCandidates,
): string {
  const values = options.flatMap(option => {
    const text = formatEntry(option, entries[option.name], getCandidates)
    return text === '' ? [] : [`${option.name}:${quote(text)}`]
  })
  return [`/${name}`, ...values].join(' ')
}

function formatEntry(
  option: RunnableOption,
  { text = '', value }: Partial<Entry> = {},
  getCandidates: GetCandidates,
): string {
  const typed = text.trim()
  if (value === undefined) return typed
  // The name of a suggestion of the bot is not known when the text is parsed.
  if (option.autocomplete) return String(value)
  const candidates = getCandidates(option) ?? []
  const selected = candidates.find(other => other.value === value)
  if (selected?.username) return `@${selected.username}`
  // The client finds a member who is not loaded by the id only.
  if (!selected) return hasMembers[option.type] ? `<@${value}>` : typed
  // A member may have the name of the role.
  const isClear = option.type !== 'mentionable' || findCandidate(candidates, typed) === selected
  return isClear ? typed : `<@&${value}>`
}

interface Token {
  start: number
  end: number
  /** The start of the value, after `name:`. */
  from: number
  /** Without quotation marks. */
  value: string
  quoted: boolean
  /** The option of `name:`. */
  option?: RunnableOption
}

/** The index of the first token after `index` that names an option, or the number of tokens. */
function findNextNamed(tokens: readonly Token[], index: number): number {
  const next = tokens.findIndex(({ option }, other) => other > index && option !== undefined)
  return next < 0 ? tokens.length : next
}

const maxCandidateWords = 16

/** Parses the value at the start of `tokens`, and returns how many of them it takes. */
function parseEntry(
  option: RunnableOption,
  tokens: readonly Token[],
  rest: string,
  takesRest: boolean,
  candidates: readonly Candidate[] | undefined,
): { entry: Entry; count: number } {
  const text = tokens[0]?.value ?? ''
  const join = (count: number) => (count === 1 ? text : rest.slice(tokens[0]?.from, tokens[count - 1]?.end))
  if (candidates) {
    for (let count = Math.min(tokens.length, maxCandidateWords); count > 0; count -= 1) {
      const found = findCandidate(candidates, join(count))
      if (found) return { entry: { text: found.text, value: found.value }, count }
    }
  }
  const count = takesRest && isFreeText(option, candidates) ? tokens.length : 1
  return { entry: { text: join(count) }, count }
}

function tokenize(text: string, options: readonly RunnableOption[]): Token[] {
  const tokens: Token[] = []
  for (let position = skipSpace(text, 0); position < text.length; ) {
    const start = position
    const option = parseOptionName(text, start, options)
    let from = option ? text.indexOf(':', start) + 1 : start
    // `name: value` is the same as `name:value`.
    const value = option ? skipSpace(text, from) : from
    if (value < text.length && !(value > from && parseOptionName(text, value, options))) from = value
    const quoted = parseQuoted(text, from)
    const end = quoted?.end ?? findWordEnd(text, from)
    tokens.push({
      start,
      end,
      from,
      value: quoted?.value ?? text.slice(from, end),
      quoted: quoted !== undefined,
      ...(option ? { option } : {}),
    })
    position = skipSpace(text, end)
  }
  return tokens
}

const optionName = /[-_\p{L}\p{M}\p{N}\p{Join_Control}]+(?=:)/uy

function parseOptionName(
  text: string,
  position: number,
  options: readonly RunnableOption[],
): RunnableOption | undefined {
  optionName.lastIndex = position
  const name = optionName.exec(text)?.[0].normalize('NFC').toLowerCase()
  return name === undefined
    ? undefined
    : options.find(option => option.name === name || option.label === name)
}

const closingQuotes: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“', '«': '»' }

/**
 * Parses a text in quotation marks. The closing mark must end a word. In straight quotation marks, `\"` and `\\` are
 * escape sequences.
 */
function parseQuoted(text: string, start: number): { value: string; end: number } | undefined {
  const close = closingQuotes[text[start] ?? '']
  if (close === undefined) return undefined
  let value = ''
  for (let index = start + 1; index < text.length; index += 1) {
    const [character = '', following = ' '] = [text[index], text[index + 1]]
    if (close === '"' && character === '\\' && (following === '"' || following === '\\')) {
      value += following
      index += 1
    } else if (character === close && isSpace(following)) {
      return { value, end: index + 1 }
    } else {
      value += character
    }
  }
  return undefined
}

const isSpace = (character: string) => /\s/u.test(character)

function skipSpace(text: string, from: number): number {
  let index = from
  while (index < text.length && isSpace(text[index] ?? '')) index += 1
  return index
}

function findWordEnd(text: string, from: number): number {
  let index = from
  while (index < text.length && !isSpace(text[index] ?? '')) index += 1
  return index
}

function quote(text: string): string {
  return /^[^\s"“„«:]+$/u.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
