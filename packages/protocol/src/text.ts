import { invalidText, mustBe, tooLong, type Violation, type ViolationDetails } from './field-errors.ts'
import { removeUselessJoiners } from './joiners.ts'
import { maxContent } from './limits.ts'

/**
 * False for text with U+0000 or half of a surrogate pair: databases and JSON parsers handle them differently
 * (limits/text-length).
 */
export function isValidText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** Length in Unicode code points (limits/text-length). */
export function codePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(i + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--
      i++
    }
  }
  return count
}

/** Whether `text` has more than `max` code points; counts them only if the number of UTF-16 units does not decide. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || codePoints(text) > max)
}

/**
 * At most the first `max` code points, in whole grapheme clusters: no part of an emoji, a flag or a letter with marks.
 * Only a cluster that is longer than `max` itself is cut.
 */
export function cutText(text: string, max: number): string {
  if (!isLonger(text, max)) return text
  let end = 0
  for (let count = 0; count < max; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, clusterAt(text, end)?.index || end)
}

/** The first grapheme cluster: what a reader sees as one character. */
export function firstCluster(text: string): string {
  return clusterAt(text, 0)?.segment ?? ''
}

function clusterAt(text: string, index: number): Intl.SegmentData | undefined {
  return new Intl.Segmenter().segment(text).containing(index)
}

// White space, control characters, and characters that Unicode defines as invisible: zero-width, fillers, variation
// selectors. U+2800 is a Braille pattern without dots.
const blank = /^[\s\u2800\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u

/** Whether `text` has no visible character (webhooks/empty-message). */
export function isBlank(text: string): boolean {
  return blank.test(text)
}

// Control characters, line and paragraph separators, bidirectional and zero-width marks (webhooks/username).
const unseen = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu

function removeUnseen(text: string): string {
  return removeUselessJoiners(text.replace(unseen, ''))
}

/**
 * A name without characters that hide text or change its direction, trimmed; `''` if no character is visible. Its
 * length is counted afterwards.
 */
export function cleanName(name: string): string {
  const cleaned = removeUnseen(name).trim()
  return isBlank(cleaned) ? '' : cleaned
}

/** Like `cleanName`, for text with several lines: keeps at most two line breaks in a row, and a tab becomes a space. */
export function cleanLines(text: string): string {
  const lines = text
    .replaceAll('\t', ' ')
    .split(/\r\n?|[\n\u0085\u2028\u2029]/)
    .map(line => removeUnseen(line).trimEnd())
  const cleaned = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return isBlank(cleaned) ? '' : cleaned
}

/** What `text` of `wire.ts` does with a string before its length is counted. */
export const cleaners = {
  trim: (text: string) => text.trim(),
  keep: (text: string) => text,
  name: cleanName,
  lines: cleanLines,
} as const satisfies Record<string, (text: string) => string>

/**
 * Checks a value that no definition has checked: the type, U+0000 and lone surrogates, and the
 * length after `clean`. Codes: `invalid_type`, `invalid_text`, `too_long`. Returns the cleaned text also if it is too
 * long.
 */
export function checkText(
  value: unknown,
  max: number,
  clean: (text: string) => string = cleaners.trim,
): { text: string | undefined; violation: ViolationDetails | undefined } {
  if (typeof value !== 'string') return { text: undefined, violation: mustBe('string') }
  if (!isValidText(value)) return { text: undefined, violation: invalidText }
  const text = clean(value)
  return { text, violation: isLonger(text, max) ? tooLong(max) : undefined }
}

/**
 * The text of a message: trimmed, and `''` if it is absent, null or has no visible character. Violations have the path
 * `content`.
 */
export function checkContent(
  value: unknown,
  max: number = maxContent,
): { content: string; violations: Violation[] } {
  const { text = '', violation } = checkText(value ?? '', max)
  if (violation) return { content: '', violations: [{ path: ['content'], ...violation }] }
  return { content: isBlank(text) ? '' : text, violations: [] }
}
