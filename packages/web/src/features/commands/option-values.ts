import type { Option, OptionValue } from '@gatehouse/protocol/commands'
import type { ViolationDetails } from '@gatehouse/protocol/field-errors'
import { checkBounds } from '@gatehouse/protocol/option-bounds'
import { checkOptionValue } from '@gatehouse/protocol/option-values'
import type { FieldError } from '../../core/api/client.ts'
import type { Translate } from '../../core/i18n/translate.ts'

/** The content of the field of an option. `value` is set if the user selected a candidate. */
export interface Entry {
  text: string
  value?: OptionValue
}

export type Entries = Readonly<Record<string, Entry>>

export type OptionProblem =
  | { key: 'command.missing' | 'command.notNumber' | 'command.notInteger' | 'command.notChoice' }
  | { key: 'fieldError.invalidText' }
  | { key: 'command.min'; min: number }
  | { key: 'command.max'; max: number }
  | { key: 'command.tooShort'; min: number }
  | { key: 'command.tooLong'; max: number }

export function optionProblemText(problem: OptionProblem, t: Translate): string {
  if ('min' in problem) return t(problem.key, { min: problem.min, count: problem.min })
  if ('max' in problem) return t(problem.key, { max: problem.max, count: problem.max })
  return t(problem.key)
}

/** The problem of an incomplete entry, if more typing cannot solve it. */
export function findProblemWhileTyping(option: Option, entry: Entry): OptionProblem | undefined {
  const parsed = parseOption(option, entry)
  if (!('problem' in parsed) || entry.text.trim() === '') return undefined
  const { problem } = parsed
  // The next digit may raise a number above its minimum, and the next character may complete the name of a choice.
  if ('max' in problem || problem.key === 'command.notInteger') return problem
  // The bot may suggest numbers for a text.
  if (option.autocomplete) return undefined
  return problem.key === 'command.notNumber' && !/^[+-]?\d*[.,]?\d*$/.test(entry.text.trim())
    ? problem
    : undefined
}

export type ParsedOption = { value: OptionValue | undefined } | { problem: OptionProblem }

const number = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/

/**
 * Returns the value of the entry, undefined if the entry is empty, or its problem. The service validates the value
 * again. The decimal separator of a number may be a comma.
 */
export function parseOption(option: Option, entry: Entry | undefined): ParsedOption {
  const text = entry?.text.trim() ?? ''
  if (text === '' && entry?.value === undefined) {
    return option.required ? { problem: { key: 'command.missing' } } : { value: undefined }
  }
  if (entry?.value !== undefined) {
    const { value } = entry
    // A bot may suggest a value beyond the bounds.
    const violation = checkBounds(option, typeof value === 'string' ? value.trim() : value)
    return violation ? { problem: toProblem(violation, value) } : { value }
  }
  if (option.choices && option.choices.length > 0) {
    const choice = option.choices.find(({ name }) => name.toLowerCase() === text.toLowerCase())
    return choice ? { value: choice.value } : { problem: { key: 'command.notChoice' } }
  }
  switch (option.type) {
    case 'string':
      return checkTyped(option, text)
    case 'integer':
    case 'number':
      if (!number.test(text)) return { problem: { key: 'command.notNumber' } }
      return checkTyped(option, Number(text.replace(',', '.')))
    case 'boolean':
    case 'user':
    case 'channel':
    case 'role':
    case 'mentionable':
      // It must be selected.
      return { problem: { key: 'command.notChoice' } }
  }
}

function checkTyped(option: Option, value: OptionValue): ParsedOption {
  const checked = checkOptionValue(option, value)
  return 'value' in checked ? checked : { problem: toProblem(checked, value) }
}

function toProblem({ code, min, max = 0 }: ViolationDetails, value: OptionValue): OptionProblem {
  if (code === 'too_short') return { key: 'command.tooShort', min: min ?? 0 }
  if (code === 'too_long') return { key: 'command.tooLong', max }
  if (code === 'out_of_range') {
    return min !== undefined && Number(value) < min
      ? { key: 'command.min', min }
      : { key: 'command.max', max }
  }
  return { key: code === 'invalid_type' ? 'command.notInteger' : 'fieldError.invalidText' }
}

export interface ParsedCommand {
  options: { name: string; value: OptionValue }[]
  problems: Record<string, OptionProblem>
}

export function parseCommand(command: { options: readonly Option[] }, entries: Entries): ParsedCommand {
  const options: ParsedCommand['options'] = []
  const problems: ParsedCommand['problems'] = {}
  for (const option of command.options) {
    const parsed = parseOption(option, entries[option.name])
    if ('problem' in parsed) problems[option.name] = parsed.problem
    else if (parsed.value !== undefined) options.push({ name: option.name, value: parsed.value })
  }
  return { options, problems }
}

/**
 * The texts of field errors by option. In `options[0].value` the index is that of the sent options, `options.sides` has
 * the name. The options of a subcommand follow `options[0].` for each of its names. Other errors have the key ''.
 */
export function fieldErrorsByOption(
  fieldErrors: readonly FieldError[],
  sent: readonly { name: string }[],
  describe: (fieldError: FieldError) => string,
): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const fieldError of fieldErrors) {
    const [, index, named] =
      /^(?:options\[0\]\.)*options(?:\[(\d+)\]|\.([^.[\]]+))/.exec(fieldError.path) ?? []
    const name = index === undefined ? (named ?? '') : (sent[Number(index)]?.name ?? '')
    texts[name] ??= describe(fieldError)
  }
  return texts
}

/** The options whose fields are shown: required ones, and the optional ones that the user added. */
export function listShownOptions(options: readonly Option[], added: ReadonlySet<string>): Option[] {
  return options.filter(option => option.required || added.has(option.name))
}
