import { invalidText, mustBe, required, tooLong, type Violation } from './field-errors.ts'
import { maxCommandName } from './limits.ts'
import { isLonger, isSound } from './text.ts'

export type NameRule = 'required' | 'invalid_type' | 'invalid_text' | 'too_long' | 'invalid_format'

// bots/command-names: small letters of Latin and Cyrillic, digits, `-` and `_`; by code points.
const shape = /^[\-_0-9[\p{Lowercase_Letter}&&[\p{Script=Latin}\p{Script=Cyrillic}]]]+$/v

type NameViolation = Omit<Violation<NameRule>, 'path'>

/**
 * The name of a command or option in NFC, or what is wrong with it (bots/command-names). Not trimmed (bots/command-set). Stable under NFKC: a name
 * that only looks like another (`ｐｉｎｇ`, `x²`) is none.
 */
export function readCommandName(value: unknown): { name: string } | { violation: NameViolation } {
  if (value === undefined || value === null || value === '') {
    return { violation: required }
  }
  if (typeof value !== 'string') return { violation: { ...mustBe('string') } }
  if (!isSound(value)) {
    return { violation: invalidText }
  }
  // NFC combines at most three characters into one of Latin or Cyrillic, so a text over three times the limit is too long.
  const name = value.length > 8 * maxCommandName ? value : value.normalize('NFC')
  if (isLonger(name, maxCommandName)) {
    return { violation: tooLong(maxCommandName) }
  }
  if (shape.test(name) && name.normalize('NFKC') === name) return { name }
  return { violation: { rule: 'invalid_format', message: advice(name) } }
}

export function isCommandName(text: string): boolean {
  const read = readCommandName(text)
  return 'name' in read && read.name === text
}

function advice(name: string): string {
  const small = name.trim().toLowerCase().normalize('NFKC').replace(/\s+/gu, '-')
  const rule = 'must be small Latin or Cyrillic letters, digits, - and _'
  return shape.test(small) && !isLonger(small, maxCommandName) ? `${rule}: ${small}` : rule
}
