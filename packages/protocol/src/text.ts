import type { TUnsafe } from 'typebox'
import type { CheckFault } from './faults.ts'
import { maxContent } from './limits.ts'
import { Type } from './type.ts'

interface TextRule {
  min?: number
  max?: number
  pattern?: string
  description?: string
  /** `keep`: judged as it is, not trimmed (names of commands, secrets, identifiers of others). */
  trim?: 'keep'
}

/**
 * A string that a person or program wrote. The keyword `text` has the validator refuse U+0000 and lone surrogates, and
 * trim before lengths are counted in code points unless it is `keep` (D8).
 */
export function Text({ min, max, pattern, description, trim }: TextRule): TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    text: trim ?? true,
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(description === undefined ? {} : { description }),
  })
}

/** False for text with U+0000 or half of a surrogate pair: no store and no JSON reader agrees on those (D8). */
export function isSound(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** Length in Unicode code points (D8). */
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

/** Whether `text` has more than `max` code points; counts only where the answer is not plain from the units. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || codePoints(text) > max)
}

// White space, controls, and what Unicode says is shown as nothing: zero-width marks, fillers, variation selectors.
const blank = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u

/** True where nothing of `text` can be seen (check 32). */
export function isBlank(text: string): boolean {
  return blank.test(text)
}

// D45: controls, line and paragraph separators, bidirectional marks, zero-width marks; a joiner only outside emoji.
const unseen =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u200d(?!\p{Extended_Pictographic})/gu

/** A sender's name without what could hide in it or turn it around, trimmed (D45). Its length is counted after this. */
export function cleanName(name: string): string {
  return name.replace(unseen, '').trim()
}

/**
 * The text of a message: trimmed, and `''` where it is absent, null or shows nothing.
 * Faults: `invalid_type`, `invalid_text`, `too_long`, at `content`.
 */
export function checkContent(
  value: unknown,
  max: number = maxContent,
): { content: string; faults: CheckFault<'invalid_type' | 'invalid_text' | 'too_long'>[] } {
  if (value === undefined || value === null || value === '') return { content: '', faults: [] }
  const path = ['content']
  if (typeof value !== 'string') {
    return { content: '', faults: [{ path, rule: 'invalid_type', message: 'must be a string' }] }
  }
  if (!isSound(value)) {
    const message = 'must not contain U+0000 or half of a surrogate pair'
    return { content: '', faults: [{ path, rule: 'invalid_text', message }] }
  }
  const content = value.trim()
  if (isLonger(content, max)) {
    const message = `must have at most ${max} characters`
    return { content: '', faults: [{ path, rule: 'too_long', message, limit: max }] }
  }
  return { content: isBlank(content) ? '' : content, faults: [] }
}
