import {
  type Choice,
  type CommandOption,
  hasValue,
  type Option,
  type OptionType,
  type OptionValue,
  type Subcommand,
  type SubcommandGroup,
} from './commands.ts'
import {
  mustBe,
  oneOf,
  type Path,
  required,
  tooMany,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'
import { isId } from './ids.ts'
import type { EnteredOption, EventOption } from './interactions.ts'
import { maxOptionValue } from './limits.ts'
import { checkBounds } from './option-bounds.ts'
import { checkText, cleaners } from './text.ts'

/** A valid value of an option. `path` is its place in the request. */
export interface CheckedValue {
  name: string
  type: OptionType
  value: OptionValue
  path: Path
}

export interface CheckedOptions {
  /** The group and the subcommand that the user runs. Empty for a command without subcommands. */
  subcommands: readonly (Subcommand | SubcommandGroup)[]
  /** In the order of the definition, without those that are invalid. */
  values: readonly CheckedValue[]
  /** The option in which the user types. */
  focused: Option | undefined
  violations: Violation[]
}

/**
 * Validates the options of a command, or of the subcommand that the user runs (bots/option-values, bots/subcommands).
 * Paths such as `options[0].value` have the indexes of the request, and messages the names of the options. With
 * `focused`, the name of the option in which the user types, required options may be missing, and the value of that
 * option is the text so far (bots/autocomplete). Whether an id is that of a user, channel or role, only the service
 * knows. `acceptsId`: tests of bots have shorter ids.
 */
export function checkOptions(
  definitions: readonly CommandOption[],
  given: readonly EnteredOption[],
  focused?: string,
  acceptsId: (id: string) => boolean = isId,
): CheckedOptions {
  const selected = selectSubcommand(definitions, given, ['options'])
  if ('path' in selected) return { subcommands: [], values: [], focused: undefined, violations: [selected] }
  const name = focused?.normalize('NFC')
  const option = selected.definitions.find(other => other.name === name)
  if (name !== undefined && option?.autocomplete !== true) {
    const message = 'must be the name of an option with autocomplete'
    const violation: Violation = { path: ['focused'], code: 'invalid_choice', message }
    return { subcommands: [], values: [], focused: undefined, violations: [violation] }
  }
  return { subcommands: selected.subcommands, focused: option, ...checkValues(selected, option, acceptsId) }
}

/** The options as the bot receives them (bots/interaction-payload). */
export function toEventOptions({
  subcommands,
  values,
  focused,
}: Pick<CheckedOptions, 'subcommands' | 'values' | 'focused'>): EventOption[] {
  const options: EventOption[] = values.map(({ name, type, value }) =>
    name === focused?.name ? { name, type, value, focused: true } : { name, type, value },
  )
  return subcommands.reduceRight<EventOption[]>(
    // A group contains subcommands, and a subcommand values, as in the definition.
    (inner, { name, type }) => [{ name, type, options: inner } as EventOption],
    options,
  )
}

interface SelectedOptions {
  subcommands: readonly (Subcommand | SubcommandGroup)[]
  definitions: readonly Option[]
  given: readonly EnteredOption[]
  /** The path of `given`. */
  givenPath: Path
}

/** Finds the options of the subcommand in the request, which must be exactly one of `definitions`. */
function selectSubcommand(
  definitions: readonly CommandOption[],
  given: readonly EnteredOption[],
  path: Path,
): SelectedOptions | Violation {
  const accepted = definitions.filter(option => !hasValue(option))
  if (accepted.length === 0) {
    return { subcommands: [], definitions: definitions.filter(hasValue), given, givenPath: path }
  }
  const [entered, another] = given
  const names = accepted.map(({ name }) => JSON.stringify(name)).join(', ')
  if (!entered) return { path, code: 'required', message: `must contain a subcommand: ${names}` }
  const name = entered.name.normalize('NFC')
  const found = accepted.find(option => option.name === name)
  if (!found) {
    const message = `must be the name of a subcommand: ${names}`
    return { path: [...path, 0, 'name'], code: 'unknown_member', message }
  }
  if (another) return { path, ...tooMany(1) }
  if (entered.value !== undefined) {
    const message = 'is not accepted for a subcommand, only "options"'
    return { path: [...path, 0, 'value'], code: 'not_allowed', message }
  }
  const inner = selectSubcommand(found.options, entered.options ?? [], [...path, 0, 'options'])
  return 'path' in inner ? inner : { ...inner, subcommands: [found, ...inner.subcommands] }
}

function checkValues(
  { definitions, given, givenPath }: SelectedOptions,
  focused: Option | undefined,
  acceptsId: (id: string) => boolean,
): Pick<CheckedOptions, 'values' | 'violations'> {
  const violations: Violation[] = []
  const found = new Map<string, CheckedValue>()
  const seen = new Set<string>()
  for (const [index, { name: raw, value, options }] of given.entries()) {
    const path = [...givenPath, index]
    const name = raw.normalize('NFC')
    const option = definitions.find(other => other.name === name)
    if (!option) {
      const message = `must be the name of an option of the command, not ${JSON.stringify(name)}`
      violations.push({ path: [...path, 'name'], code: 'unknown_member', message })
      continue
    }
    if (seen.has(name)) {
      const message = `must not be given twice: ${JSON.stringify(name)}`
      violations.push({ path: [...path, 'name'], code: 'duplicate', message })
      continue
    }
    seen.add(name)
    if (options !== undefined) {
      const message = 'is accepted only for a subcommand'
      violations.push({ path: [...path, 'options'], code: 'not_allowed', message })
    }
    const result = option === focused ? checkTyped(value) : checkOptionValue(option, value, acceptsId)
    if ('value' in result) {
      found.set(name, { name, type: option.type, value: result.value, path: [...path, 'value'] })
    } else violations.push({ ...withOptionName(name, result), path: [...path, 'value'] })
  }
  for (const { name, required: isRequired } of definitions) {
    if (isRequired !== true || seen.has(name) || focused) continue
    const message = `must include ${JSON.stringify(name)}`
    violations.push({ path: givenPath, code: 'required', message })
  }
  if (focused && !seen.has(focused.name)) {
    found.set(focused.name, { name: focused.name, type: focused.type, value: '', path: givenPath })
  }
  return { values: definitions.flatMap(({ name }) => found.get(name) ?? []), violations }
}

/** The path contains the index in the request only, so the message names the option. */
export function withOptionName<Details extends { message: string }>(name: string, details: Details): Details {
  return { ...details, message: `${details.message} (option "${name}")` }
}

type Checked<Value extends OptionValue> = { value: Value } | ViolationDetails

/**
 * Validates one value. Returns it as the bot receives it: a string is trimmed, unless the bot registered or suggested
 * it.
 */
export function checkOptionValue(
  option: Option,
  value: unknown,
  acceptsId: (id: string) => boolean = isId,
): Checked<OptionValue> {
  if (value === undefined) return required
  switch (option.type) {
    case 'string':
      return checkString(option, value)
    case 'integer':
      // (bots/command-names)
      return Number.isSafeInteger(value) ? checkNumber(option, Number(value)) : mustBe('integer')
    case 'number':
      return Number.isFinite(value) ? checkNumber(option, Number(value)) : mustBe('number')
    case 'boolean':
      return typeof value === 'boolean' ? { value } : mustBe('boolean')
    case 'user':
    case 'channel':
    case 'role':
    case 'mentionable':
      if (typeof value !== 'string') return mustBe('string')
      return acceptsId(value) ? { value } : { code: 'invalid_format', message: 'must be an id' }
  }
}

/** The text of the option in which the user types. */
function checkTyped(value: unknown): Checked<string> {
  const { text = '', violation } = checkText(
    typeof value === 'number' ? String(value) : (value ?? ''),
    maxOptionValue,
    cleaners.keep,
  )
  return violation ?? { value: text }
}

function checkString(option: Option, value: unknown): Checked<string> {
  // The value of a choice is not trimmed, because the bot registered or suggested it with its spaces.
  const { text = '', violation } = option.choices
    ? checkText(value, Infinity, cleaners.keep)
    : checkText(value, maxOptionValue)
  if (violation) return violation
  if (option.choices) return checkChoice(option.choices, text)
  if (text === '') return { code: 'too_short', message: 'must not be empty' }
  return checkBounds(option, text) ?? { value: option.autocomplete === true ? String(value) : text }
}

function checkNumber(option: Option, value: number): Checked<number> {
  if (option.choices) return checkChoice(option.choices, value)
  return checkBounds(option, value) ?? { value }
}

function checkChoice<Value extends string | number>(
  choices: readonly Choice[],
  value: Value,
): Checked<Value> {
  const values = choices.map(choice => choice.value)
  return values.includes(value) ? { value } : oneOf(values)
}
