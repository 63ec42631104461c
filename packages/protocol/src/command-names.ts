import { required, type ViolationDetails } from './field-errors.ts'
import { maxCommandName } from './limits.ts'
import { checkText, isLonger } from './text.ts'

// bots/command-names: lowercase Latin and Cyrillic letters, digits, `-` and `_`; by code points.
const allowed = /^[\-_0-9[\p{Lowercase_Letter}&&[\p{Script=Latin}\p{Script=Cyrillic}]]]+$/v

/**
 * The name of a command or option in NFC, or the violation (bots/command-names). Does not trim (bots/command-set). A name
 * that only looks like another because NFKC would change it (`ｐｉｎｇ`, `x²`) is invalid.
 */
export function readCommandName(value: unknown): { name: string } | { violation: ViolationDetails } {
  if (value === undefined || value === null || value === '') return { violation: required }
  const { text: name = '', violation } = checkText(value, maxCommandName, toNfc)
  if (violation) return { violation }
  if (allowed.test(name) && name.normalize('NFKC') === name) return { name }
  return { violation: { code: 'invalid_format', message: describeFormat(name) } }
}

// NFC combines at most three characters into one of Latin or Cyrillic, so a text over three times the limit is too long.
function toNfc(text: string): string {
  return text.length > 8 * maxCommandName ? text : text.normalize('NFC')
}

/** Suggests a valid name if there is one. */
function describeFormat(name: string): string {
  const small = name.trim().toLowerCase().normalize('NFKC').replace(/\s+/gu, '-')
  const rule = 'must be small Latin or Cyrillic letters, digits, - and _'
  return allowed.test(small) && !isLonger(small, maxCommandName) ? `${rule}: ${small}` : rule
}
