import type { Choice, CommandInteraction, OptionType, OptionValue, RegisteredCommand } from './types.ts'

export interface OptionDefinition {
  readonly type: OptionType
  /** Small letters, digits, `-` and `_`; up to 32. */
  readonly name: string
  /** 1 to 100 characters. */
  readonly description: string
  /** Required options come first. */
  readonly required?: boolean
  /** Up to 25, for string, integer and number; the person picks one. */
  readonly choices?: readonly Readonly<Choice>[]
  /** For integer and number. */
  readonly min?: number
  readonly max?: number
}

export interface CommandDefinition {
  /** Small letters, digits, `-` and `_`; up to 32. */
  readonly name: string
  /** 1 to 100 characters. */
  readonly description: string
  /** Up to 25. */
  readonly options?: readonly OptionDefinition[]
  /** Whether only the person who asked sees the answers, where an answer does not say. */
  readonly ephemeral?: boolean
}

type ValueOf<Option extends OptionDefinition> = Option extends {
  choices: readonly { value: infer Value }[]
}
  ? Value
  : Option['type'] extends 'integer' | 'number'
    ? number
    : Option['type'] extends 'boolean'
      ? boolean
      : Option['type'] extends 'string' | 'user' | 'channel' | 'role'
        ? string
        : OptionValue

/**
 * What a handler finds in `ctx.options`: a member for every option of the definition, undefined where one that is not
 * required was left out. For user, channel and role the id.
 */
export type OptionsOf<Definition extends CommandDefinition> = Definition extends {
  options: readonly (infer Option extends OptionDefinition)[]
}
  ? {
      readonly [Each in Option as Each['name']]: Each extends { required: true }
        ? ValueOf<Each>
        : ValueOf<Each> | undefined
    }
  : CommandDefinition extends Definition
    ? { readonly [name: string]: OptionValue | undefined }
    : Readonly<Record<never, never>>

/** The options of an event by name; the service has checked them (the specification, Option). */
export function readOptions<Definition extends CommandDefinition>(
  event: CommandInteraction,
): OptionsOf<Definition> {
  const values = Object.fromEntries(event.data.options.map(({ name, value }) => [name, value]))
  // A parse edge: the service checks what a person enters against the definition that was registered.
  return values as OptionsOf<Definition>
}

interface Registration {
  name: string
  description: string
  options: readonly OptionDefinition[]
}

/** What of a definition is registered. */
export function toRegistration(definition: CommandDefinition): Registration {
  return {
    name: definition.name,
    description: definition.description,
    options: definition.options ?? [],
  }
}

/** Whether the service has these commands already, as it would keep them: order of commands does not matter. */
export function isRegistered(
  wanted: readonly CommandDefinition[],
  present: readonly RegisteredCommand[],
): boolean {
  return canonical(wanted.map(toRegistration)) === canonical(present)
}

function canonical(commands: readonly Registration[]): string {
  return JSON.stringify(
    commands
      .map(({ name, description, options }) => [
        name.normalize('NFC'),
        description.trim(),
        options.map(option => [
          option.type,
          option.name.normalize('NFC'),
          option.description.trim(),
          option.required === true,
          option.min ?? null,
          option.max ?? null,
          (option.choices ?? []).map(choice => [choice.name.trim(), choice.value]),
        ]),
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
}
