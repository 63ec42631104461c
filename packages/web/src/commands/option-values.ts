import type { AvailableCommand, Option, OptionValue } from '@gatehouse/protocol/commands'
import type { Fault } from '../api/client.ts'
import type { Translate } from '../i18n/translate.ts'

/** What a person has typed or picked for an option. `value` is set by a pick: the choice's value or an id. */
export interface Entry {
  text: string
  value?: OptionValue
}

export type Entries = Readonly<Record<string, Entry>>

export type OptionProblem =
  | { key: 'command.missing' | 'command.notNumber' | 'command.notInteger' | 'command.notChoice' }
  | { key: 'command.min'; min: number }
  | { key: 'command.max'; max: number }

/** What is wrong with an entry, in words for the person. */
export function problemWords(problem: OptionProblem, t: Translate): string {
  if (problem.key === 'command.min') return t(problem.key, { min: problem.min })
  if (problem.key === 'command.max') return t(problem.key, { max: problem.max })
  return t(problem.key)
}

/** What can be said while one still types: a bound that was passed. That something is missing is said at the end. */
export function problemSoFar(option: Option, entry: Entry): OptionProblem | undefined {
  const read = readOption(option, entry)
  if (!('problem' in read) || entry.text.trim() === '') return undefined
  const { problem } = read
  // Of a number that grows by the next digit, too little is no fault yet; of a list, part of a name is none.
  if (problem.key === 'command.max' || problem.key === 'command.notInteger') return problem
  return problem.key === 'command.notNumber' && !/^[+-]?\d*[.,]?\d*$/.test(entry.text.trim())
    ? problem
    : undefined
}

export type ReadOption = { value: OptionValue | undefined } | { problem: OptionProblem }

const number = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/

/**
 * The value that the entry stands for, undefined where it was left empty. The service checks it again; this spares
 * the person the way there. Numbers may be written with a comma.
 */
export function readOption(option: Option, entry: Entry | undefined): ReadOption {
  const text = entry?.text.trim() ?? ''
  if (text === '' && entry?.value === undefined) {
    return option.required ? { problem: { key: 'command.missing' } } : { value: undefined }
  }
  if (entry?.value !== undefined) return { value: entry.value }
  if (option.choices && option.choices.length > 0) {
    const choice = option.choices.find(({ name }) => name.toLowerCase() === text.toLowerCase())
    return choice ? { value: choice.value } : { problem: { key: 'command.notChoice' } }
  }
  switch (option.type) {
    case 'string':
      return { value: text }
    case 'integer':
    case 'number':
      return readNumber(option, text)
    default:
      // Yes or no, a person, a channel, a role: only a pick names one.
      return { problem: { key: 'command.notChoice' } }
  }
}

function readNumber(option: Option, text: string): ReadOption {
  if (!number.test(text)) return { problem: { key: 'command.notNumber' } }
  const value = Number(text.replace(',', '.'))
  if (option.type === 'integer' && !Number.isSafeInteger(value))
    return { problem: { key: 'command.notInteger' } }
  if (option.min !== undefined && value < option.min)
    return { problem: { key: 'command.min', min: option.min } }
  if (option.max !== undefined && value > option.max)
    return { problem: { key: 'command.max', max: option.max } }
  return { value }
}

export interface ReadCommand {
  options: { name: string; value: OptionValue }[]
  problems: Record<string, OptionProblem>
}

export function readCommand(command: Pick<AvailableCommand, 'options'>, entries: Entries): ReadCommand {
  const options: ReadCommand['options'] = []
  const problems: ReadCommand['problems'] = {}
  for (const option of command.options) {
    const read = readOption(option, entries[option.name])
    if ('problem' in read) problems[option.name] = read.problem
    else if (read.value !== undefined) options.push({ name: option.name, value: read.value })
  }
  return { options, problems }
}

/**
 * The service's faults by the option that they are about: a path such as `options[0].value` counts in the options as
 * they were sent, `options.sides` names one. What concerns no option is under ''.
 */
export function faultsByOption(
  faults: readonly Fault[],
  sent: readonly { name: string }[],
  describe: (fault: Fault) => string,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const fault of faults) {
    const [, index, named] = /^options(?:\[(\d+)\]|\.([^.[\]]+))/.exec(fault.path) ?? []
    const name = index === undefined ? (named ?? '') : (sent[Number(index)]?.name ?? '')
    found[name] ??= describe(fault)
  }
  return found
}

/** Which fields are shown: the required ones, and the optional ones that were asked for or filled. */
export function shownOptions(options: readonly Option[], added: ReadonlySet<string>): Option[] {
  return options.filter(option => option.required || added.has(option.name))
}
