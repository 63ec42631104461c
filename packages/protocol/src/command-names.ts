import type { CheckFault } from './faults.ts'
import { maxCommandName } from './limits.ts'
import { isLonger, isSound } from './text.ts'

export type NameRule = 'required' | 'invalid_type' | 'invalid_text' | 'too_long' | 'invalid_format'

// D28: small letters of Latin and Cyrillic, digits, `-` and `_`; by code points.
const shape = /^[\-_0-9[\p{Lowercase_Letter}&&[\p{Script=Latin}\p{Script=Cyrillic}]]]+$/v

type NameFault = Omit<CheckFault<NameRule>, 'path'>

/**
 * The name of a command or option in NFC, or what is wrong with it (D28). Not trimmed (D52). Stable under NFKC: a name
 * that only looks like another (`ｐｉｎｇ`, `x²`) is none.
 */
export function readCommandName(value: unknown): { name: string } | { fault: NameFault } {
  if (value === undefined || value === null || value === '') {
    return { fault: { rule: 'required', message: 'is required' } }
  }
  if (typeof value !== 'string') return { fault: { rule: 'invalid_type', message: 'must be a string' } }
  if (!isSound(value)) {
    return { fault: { rule: 'invalid_text', message: 'must not contain U+0000 or half of a surrogate pair' } }
  }
  // NFC makes no more than three characters into one of Latin or Cyrillic: what is far too long is not worth normalising.
  const name = value.length > 8 * maxCommandName ? value : value.normalize('NFC')
  if (isLonger(name, maxCommandName)) {
    const message = `must have at most ${maxCommandName} characters`
    return { fault: { rule: 'too_long', message, limit: maxCommandName } }
  }
  if (shape.test(name) && name.normalize('NFKC') === name) return { name }
  return { fault: { rule: 'invalid_format', message: advice(name) } }
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
