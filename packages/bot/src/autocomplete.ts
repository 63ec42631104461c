import { maxChoices } from '@gatehouse/protocol/limits'
import type { BotApi } from './api.ts'
import type { HandlerClock } from './clock.ts'
import {
  type CommandDefinition,
  type CommandOptionDefinition,
  type OptionDefinition,
  type OptionsOf,
  readOptions,
  readSubcommand,
  type SubcommandDefinition,
  type SubcommandGroupDefinition,
  type UnionToIntersection,
  type WithOptions,
} from './commands.ts'
import type { AutocompleteInteraction, Choice, OptionValue } from './types.ts'

/**
 * The context of a handler that suggests values of an option. It has no responses: the handler returns the suggestions.
 */
export interface AutocompleteContext<Options = Readonly<Record<string, OptionValue | undefined>>>
  extends HandlerClock {
  readonly type: 'autocomplete'
  readonly event: AutocompleteInteraction
  /** The user who types. */
  readonly user: AutocompleteInteraction['user']
  readonly channelId: string
  readonly serverId: string
  /** The name of the command. */
  readonly name: string
  /** The names of the group and subcommand, separated by a space. */
  readonly subcommand: string | undefined
  /** The name of the option in which the user types. */
  readonly focused: string
  /** The text so far, also of a number. May be empty. */
  readonly value: string
  /** The other options. Each may be undefined, because the user may enter it later. */
  readonly options: Options
  readonly api: BotApi
  /** Aborts when the service no longer accepts the suggestions, after 3 seconds. Pass it to long operations. */
  readonly signal: AbortSignal
}

/** A suggested value, which is also its name, or a value with its name. */
export type Suggestion<Value extends string | number = string | number> =
  | Value
  | (Readonly<Omit<Choice, 'value'>> & { readonly value: Value })

/** Returns suggestions for an option. The user sees the first 25. */
export type AutocompleteHandler<
  Options = Readonly<Record<string, OptionValue | undefined>>,
  Value extends string | number = string | number,
> = (
  ctx: AutocompleteContext<Options>,
) => readonly Suggestion<Value>[] | Promise<readonly Suggestion<Value>[]>

/** The handlers of a command whose definition is not known to the compiler: by option, or by subcommand and option. */
export interface AutocompleteHandlers {
  readonly [name: string]: AutocompleteHandler | { readonly [option: string]: AutocompleteHandler }
}

/** The options with `autocomplete`. All options if their names are not literal types. */
type Suggesting<Option> = Option extends OptionDefinition
  ? Option extends { autocomplete: true }
    ? Option
    : string extends Option['name']
      ? Option
      : never
  : never

type OtherOptions<Options, Name> = string extends keyof Options
  ? Options
  : { readonly [Other in Exclude<keyof Options, Name>]: Options[Other] | undefined }

type HandlersOfOptions<Definition extends WithOptions> = Definition extends {
  options: readonly (infer Option)[]
}
  ? {
      readonly [One in Suggesting<Option> as One['name']]: AutocompleteHandler<
        OtherOptions<OptionsOf<Definition>, One['name']>,
        One['type'] extends 'string' ? string : One['type'] extends 'integer' | 'number' ? number : never
      >
    }
  : Record<never, never>

type HandlersOfSubcommand<Name extends string, Definition extends WithOptions> = [
  keyof HandlersOfOptions<Definition>,
] extends [never]
  ? Record<never, never>
  : { readonly [Key in Name]: HandlersOfOptions<Definition> }

type HandlersBySubcommand<Option> = Option extends SubcommandDefinition
  ? HandlersOfSubcommand<Option['name'], Option>
  : Option extends SubcommandGroupDefinition
    ? HandlersOfGroup<Option['name'], Option['options'][number]>
    : Record<never, never>

type HandlersOfGroup<Group extends string, Inner> = Inner extends SubcommandDefinition
  ? HandlersOfSubcommand<`${Group} ${Inner['name']}`, Inner>
  : Record<never, never>

/**
 * One handler for each option with `autocomplete`, by its name. For a command with subcommands: by the names of the
 * group and subcommand, separated by a space, then by the name of the option.
 */
export type AutocompleteOf<Definition extends CommandDefinition> = CommandDefinition extends Definition
  ? AutocompleteHandlers
  : Definition extends { options: readonly (infer Option)[] }
    ? HandlersOfOptions<Definition> & UnionToIntersection<HandlersBySubcommand<Option>>
    : Record<never, never>

/** The last argument of `bot.command`, only for a command with an option with `autocomplete`. */
export type AutocompleteArguments<Definition extends CommandDefinition> = [
  keyof AutocompleteOf<Definition>,
] extends [never]
  ? []
  : string extends keyof AutocompleteOf<Definition>
    ? [autocomplete?: AutocompleteOf<Definition>]
    : [autocomplete: AutocompleteOf<Definition>]

/** The handlers of a command by the full name of the option: `role add name`. Throws unless each option has its own. */
export function collectAutocomplete(
  definition: CommandDefinition,
  given: AutocompleteHandlers = {},
): ReadonlyMap<string, AutocompleteHandler> {
  const handlers = new Map<string, AutocompleteHandler>()
  const add = (handler: unknown, ...names: string[]) => {
    // The compiler has checked it, if there is one.
    if (typeof handler === 'function') handlers.set(fullName(names), handler as AutocompleteHandler)
  }
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'object') {
      for (const [option, handler] of Object.entries(value)) add(handler, name, option)
    } else add(value, name)
  }
  const names = new Set(findSuggesting(definition.options ?? []).map(fullName))
  for (const name of names) {
    if (handlers.has(name)) continue
    throw new TypeError(`/${definition.name}: the option "${name}" has autocomplete, but no handler.`)
  }
  for (const name of handlers.keys()) {
    if (names.has(name)) continue
    throw new TypeError(`/${definition.name} has no option "${name}" with autocomplete.`)
  }
  return handlers
}

/** The names that lead to each option with `autocomplete`. */
function findSuggesting(options: readonly CommandOptionDefinition[]): string[][] {
  return options.flatMap(option => {
    if (option.type === 'subcommand' || option.type === 'subcommand_group') {
      return findSuggesting(option.options ?? []).map(names => [option.name, ...names])
    }
    return option.autocomplete ? [[option.name]] : []
  })
}

const fullName = (names: readonly string[]) => names.join(' ').normalize('NFC')

export function createAutocompleteContext(
  event: AutocompleteInteraction,
  api: BotApi,
  signal: AbortSignal,
  clock: HandlerClock,
): AutocompleteContext {
  const { user, channelId, serverId, data } = event
  const { options, focused = { name: '', value: '' } } = readOptions<CommandDefinition>(event)
  const { [focused.name]: _, ...others } = options
  return {
    type: 'autocomplete',
    event,
    ...{ user, channelId, serverId },
    name: data.name,
    subcommand: readSubcommand(event),
    focused: focused.name,
    value: String(focused.value),
    options: others,
    api,
    signal,
    ...clock,
  }
}

/** The full name of the option in which the user types. */
export function focusedName({ subcommand, focused }: AutocompleteContext): string {
  return fullName(subcommand === undefined ? [focused] : [subcommand, focused])
}

export function toChoices(suggestions: readonly Suggestion[]): Choice[] {
  return suggestions
    .slice(0, maxChoices)
    .map(one => (typeof one === 'object' ? one : { name: String(one), value: one }))
}
