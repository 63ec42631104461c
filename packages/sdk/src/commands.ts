import type { Choice, CommandInteraction, OptionType, OptionValue, RegisteredCommand } from './types.ts'

export interface OptionDefinition {
  readonly type: OptionType
  /** Lowercase letters, digits, `-` and `_`; up to 32 characters. */
  readonly name: string
  /** 1 to 100 characters. */
  readonly description: string
  /** Required options come first. */
  readonly required?: boolean
  /** Up to 25 values to select from, for string, integer and number. */
  readonly choices?: readonly Readonly<Choice>[]
  /** For integer and number. */
  readonly min?: number
  readonly max?: number
}

export interface CommandDefinition {
  /** Lowercase letters, digits, `-` and `_`; up to 32 characters. */
  readonly name: string
  /** 1 to 100 characters. */
  readonly description: string
  /** Up to 25. */
  readonly options?: readonly OptionDefinition[]
  /** Default of `ephemeral` for the responses of this command. */
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
 * The type of `ctx.options`: one property per option of the definition. An option that is not required may be undefined.
 * The value of a user, channel or role option is its id.
 */
export type OptionsOf<Definition extends CommandDefinition> = Definition extends {
  options: readonly (infer Option extends OptionDefinition)[]
}
  ? {
      readonly [One in Option as One['name']]: One extends { required: true }
        ? ValueOf<One>
        : ValueOf<One> | undefined
    }
  : CommandDefinition extends Definition
    ? { readonly [name: string]: OptionValue | undefined }
    : Readonly<Record<never, never>>

/** Returns the options of an event by name. */
export function readOptions<Definition extends CommandDefinition>(
  event: CommandInteraction,
): OptionsOf<Definition> {
  const values = Object.fromEntries(event.data.options.map(({ name, value }) => [name, value]))
  // The service has validated the values against the registered definition.
  return values as OptionsOf<Definition>
}

interface Registration {
  name: string
  description: string
  options: readonly OptionDefinition[]
}

/** Returns the part of a definition that is registered with the service. */
export function toRegistration(definition: CommandDefinition): Registration {
  return {
    name: definition.name,
    description: definition.description,
    options: definition.options ?? [],
  }
}

/** Whether the registered commands equal the definitions after normalization, in any order. */
export function isRegistered(
  definitions: readonly CommandDefinition[],
  registered: readonly RegisteredCommand[],
): boolean {
  return canonicalize(definitions.map(toRegistration)) === canonicalize(registered)
}

function canonicalize(commands: readonly Registration[]): string {
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
