import { required, type ViolationDetails } from './field-errors.ts'
import { maxCommandName } from './limits.ts'
import { checkText, isLonger } from './text.ts'

interface Format {
  allowed: RegExp
  /** For the error. */
  letters: string
}

// bots/command-names: lowercase Latin and Cyrillic letters, digits, `-` and `_`; by code points.
const nameFormat: Format = {
  allowed: /^[\-_0-9[\p{Lowercase_Letter}&&[\p{Script=Latin}\p{Script=Cyrillic}]]]+$/v,
  letters: 'small Latin or Cyrillic letters',
}

// bots/localizations: also letters and marks of other scripts, which may have no case.
// Persian and the scripts of India have joiners between letters. `joiners.ts` accepts fewer of them: here, a joiner
// that changes nothing is valid too, because some keyboards write it.
const localizedFormat: Format = {
  allowed: new RegExp(
    String.raw`^(?!\p{Mark})(?:[[\-_\p{Nd}\p{Letter}\p{Mark}]--[\p{Lu}\p{Lt}\p{Default_Ignorable_Code_Point}]]` +
      String.raw`|(?<=[\p{Script=Arabic}\p{Mark}])\p{Join_Control}(?=\p{Letter}))+$`,
    'v',
  ),
  letters: 'small letters of any script',
}

// NFKC replaces these two common vowels of Thai and Lao.
const changedVowels = /[\u0e33\u0eb3]/g

/**
 * The name of a command or option in NFC, or the violation (bots/command-names). Does not trim (bots/command-set). A
 * name that only looks like another because NFKC would change it (`ｐｉｎｇ`, `x²`) is invalid.
 */
export function readCommandName(value: unknown): { name: string } | { violation: ViolationDetails } {
  return readName(value, nameFormat)
}

/** The same for the name in another language (bots/localizations). */
export function readLocalizedName(value: unknown): { name: string } | { violation: ViolationDetails } {
  return readName(value, localizedFormat)
}

function readName(value: unknown, format: Format): { name: string } | { violation: ViolationDetails } {
  if (value === undefined || value === null || value === '') return { violation: required }
  const { text: name = '', violation } = checkText(value, maxCommandName, toNfc)
  if (violation) return { violation }
  const compared = name.replace(changedVowels, '')
  if (format.allowed.test(name) && compared.normalize('NFKC') === compared) return { name }
  return { violation: { code: 'invalid_format', message: describeFormat(name, format) } }
}

// NFC combines at most four characters into one, so a text over eight times the limit is too long.
function toNfc(text: string): string {
  return text.length > 8 * maxCommandName ? text : text.normalize('NFC')
}

/** Suggests a valid name if there is one. */
function describeFormat(name: string, { allowed, letters }: Format): string {
  const small = name.trim().toLowerCase().normalize('NFKC').replace(/\s+/gu, '-')
  const rule = `must be ${letters}, digits, - and _`
  return allowed.test(small) && !isLonger(small, maxCommandName) ? `${rule}: ${small}` : rule
}
