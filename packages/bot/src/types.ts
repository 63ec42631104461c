import type * as wire from './wire-types.ts'

/** The types of the API and the gateway that a bot uses, and those that are narrower for a bot. */
export type * from './wire-types.ts'

export type Select = wire.StringSelect | wire.EntitySelect

/** A field of a modal. `Id` is its `customId`. */
export interface TextInput<Id extends string = string> extends wire.TextInput {
  customId: Id
}

/**
 * A dialog with 1 to 5 fields, each in its row. `Id` is its `customId` or the pattern of it, `Field` those of its
 * fields.
 */
export interface Modal<Id extends string = string, Field extends string = string> extends wire.Modal {
  customId: Id
  components: { type: 'row'; components: TextInput<Field>[] }[]
}

export type OptionType = wire.InteractionOption['type']
export type OptionValue = wire.InteractionOption['value']

/** Texts in other languages, by language tag: `ru`, `pt-BR`. */
export type Localizations = Readonly<Record<string, string>>

/** A user ran a slash command. */
export interface CommandInteraction extends wire.UsedCommandInteraction {
  data: wire.SlashCommandData
}

/** A user chose a command in the menu of a user. */
export interface UserCommandInteraction extends wire.UsedCommandInteraction {
  data: wire.UserCommandData
}

/** A user chose a command in the menu of a message. */
export interface MessageCommandInteraction extends wire.UsedCommandInteraction {
  data: wire.MessageCommandData
}

/** A user pressed a button. */
export interface ButtonInteraction extends wire.ComponentInteraction {
  data: wire.ButtonData
}

/** A user selected something in a select menu. */
export interface SelectInteraction extends wire.ComponentInteraction {
  data: wire.SelectData
}

/** `d` of INTERACTION_CREATE, and the body of a request to an interactions endpoint. */
export type InteractionEvent =
  | CommandInteraction
  | UserCommandInteraction
  | MessageCommandInteraction
  | ButtonInteraction
  | SelectInteraction
  | wire.ModalInteraction
  | wire.AutocompleteInteraction

/** The events that a bot receives, with their payloads. */
export interface GatewayEvents extends wire.EventPayloads {
  INTERACTION_CREATE: InteractionEvent
}

/** A user, role or channel that a user chooses in a test. A role or channel has a `name`, which users do not have. */
export type SelectedEntity = { id: string } & Partial<wire.AnyUser & wire.Role & wire.ResolvedChannel> & {
    /** Of a user. */
    member?: Partial<wire.ResolvedMember>
  }

/** Shard `id` of `count`: the servers with `(serverId >> 22) % count === id`. */
export type Shard = readonly [id: number, count: number]
