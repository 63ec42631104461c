import type { Static, TSchema, TUnsafe } from 'typebox'
import { Choice, ContextCommandType, type OptionValue, optionTypes } from './commands.ts'
import { ComponentsInput, checkComponents, Row, selectTypes } from './components.ts'
import { checkEmbeds, EmbedsInput, embedsText } from './embeds.ts'
import { prefixPaths, required, unknownMember, type Violation } from './field-errors.ts'
import { Id, Timestamp } from './ids.ts'
import {
  maxChoices,
  maxCommandName,
  maxCustomId,
  maxOptions,
  maxOptionValue,
  maxSelectOptions,
  maxSelectValue,
  maxTextInputs,
} from './limits.ts'
import { AllowedMentionsInput, checkAllowedMentions } from './mentions.ts'
import { Content, InteractionType, Message, Nonce } from './messages.ts'
import { checkModal, EnteredField, Modal, ModalInput } from './modals.ts'
import { closed, Described, Documented, Nullable, OneOf, ShownAs, Variants, withRules } from './schema.ts'
import { Text } from './text.ts'
import { Type } from './type.ts'
import { InteractionUser } from './users.ts'

const EnteredValue = Type.Unsafe<OptionValue>({
  type: ['string', 'number', 'boolean'],
  maxLength: maxOptionValue,
  description: 'The value; for a user, channel or role its id.',
})

/** A validated option, as the bot receives it. For a user, channel or role the value is the id. */
export const EventValueOption = Type.Object(
  {
    name: Type.String({ description: 'The name of the option.' }),
    type: OneOf(optionTypes, { description: 'The type of the value that a user enters.' }),
    value: ShownAs(Type.Unsafe<OptionValue>({}), EnteredValue),
    focused: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        enum: [true],
        description: 'Only for `autocomplete`: the user types in this option. `value` is the text so far.',
      }),
    ),
  },
  closed('An option that the user entered, after validation.'),
)
export type EventValueOption = Static<typeof EventValueOption>

export const EventSubcommand = Type.Object(
  {
    name: Type.String({ description: 'The name of the subcommand.' }),
    type: OneOf(['subcommand'], { description: 'The user ran a subcommand.' }),
    options: Type.Array(EventValueOption, { description: 'The options that the user entered.' }),
  },
  closed('The subcommand that the user ran.'),
)

export const EventSubcommandGroup = Type.Object(
  {
    name: Type.String({ description: 'The name of the group.' }),
    type: OneOf(['subcommand_group'], { description: 'The user ran a subcommand of the group.' }),
    options: Type.Array(EventSubcommand, { description: 'The subcommand that the user ran.' }),
  },
  closed('The group of the subcommand that the user ran.'),
)

export const EventOption = ShownAs(
  Type.Union([EventValueOption, EventSubcommand, EventSubcommandGroup]),
  Variants(
    'type',
    [EventValueOption, EventSubcommand, EventSubcommandGroup],
    'An option that the user entered, or the subcommand that the user ran, with its options.',
  ),
)
export type EventOption = Static<typeof EventOption>

const event = {
  version: Type.Unsafe<1>({ type: 'integer', enum: [1], description: 'The version of this format.' }),
  id: Described(Id, 'The id of the interaction.'),
  token: Type.String({ description: 'For the paths of the response endpoints, until `expiresAt`.' }),
  applicationId: Described(Id, 'The id of the application.'),
  channelId: Described(Id, 'The id of the channel.'),
  user: InteractionUser,
  createdAt: Described(Timestamp, 'When the user ran the command or used the component.'),
  deadlineAt: Described(Timestamp, 'When the first response must have arrived.'),
  expiresAt: Described(Timestamp, 'When the token expires.'),
}

const CommandType = OneOf(['command'], { description: 'A user ran a command.' })
const ModalSubmitType = OneOf(['modal_submit'], { description: 'A user submitted a modal.' })
const ComponentType = OneOf(['component'], {
  description: 'A user pressed a button or used a select menu.',
})

const usedCommand = {
  id: Described(Id, 'The id of the command.'),
  name: Type.String({ description: 'The name of the command.' }),
}

export const SlashCommandData = Type.Object(
  {
    ...usedCommand,
    options: Type.Array(EventOption, { description: 'The options that the user entered.' }),
  },
  closed('The slash command and its options.'),
)
export type SlashCommandData = Static<typeof SlashCommandData>

const NoOptions = Type.Array(EventOption, { maxItems: 0, description: 'Empty: the command has no options.' })

export const UserCommandData = Type.Object(
  {
    ...usedCommand,
    type: OneOf(['user'], { description: 'A command in the menu of a user.' }),
    options: NoOptions,
    targetId: Described(Id, 'The id of the user in whose menu the command was chosen.'),
    resolved: Type.Object({ user: InteractionUser }, closed('The user.')),
  },
  closed('The command, and the user in whose menu it was chosen.'),
)
export type UserCommandData = Static<typeof UserCommandData>

export const MessageCommandData = Type.Object(
  {
    ...usedCommand,
    type: OneOf(['message'], { description: 'A command in the menu of a message.' }),
    options: NoOptions,
    targetId: Described(Id, 'The id of the message in whose menu the command was chosen.'),
    resolved: Type.Object({ message: Message }, closed('The message, with its content.')),
  },
  closed('The command, and the message in whose menu it was chosen.'),
)
export type MessageCommandData = Static<typeof MessageCommandData>

/** Named, as generators for Go have no type for a choice without a name. */
export const UsedCommand = Type.Union([SlashCommandData, UserCommandData, MessageCommandData], {
  description: 'The command, with its options or the user or message that it was chosen for.',
})

/** INTERACTION_CREATE for a command (bots/interaction-payload, bots/context-commands). */
export const CommandInteraction = Type.Object(
  {
    ...event,
    type: CommandType,
    serverId: Described(Id, 'The id of the server.'),
    data: UsedCommand,
  },
  closed('A user ran a command.'),
)
export type CommandInteraction = Static<typeof CommandInteraction>

export const ButtonData = Type.Object(
  {
    customId: Type.String({ description: 'The `customId` of the button.' }),
    componentType: OneOf(['button'], { description: 'The type of the component.' }),
  },
  closed('The button.'),
)

/** A role or a channel that a user selected. */
export const NamedEntity = Type.Object(
  { id: Described(Id, 'The id.'), name: Type.String({ description: 'The name.' }) },
  closed('A role or a channel.'),
)
export type NamedEntity = Static<typeof NamedEntity>

function ById<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Optional(
    Type.Unsafe<Readonly<Record<string, Static<Schema>>>>({
      type: 'object',
      additionalProperties: schema,
      description,
    }),
  )
}

/** The users, roles and channels whose ids an interaction contains. */
export const ResolvedEntities = Type.Object(
  {
    users: ById(InteractionUser, 'The users by their ids.'),
    roles: ById(NamedEntity, 'The roles by their ids.'),
    channels: ById(NamedEntity, 'The channels by their ids.'),
  },
  closed('What the ids of the values refer to.'),
)
export type ResolvedEntities = Static<typeof ResolvedEntities>

export const SelectData = Type.Object(
  {
    customId: Type.String({ description: 'The `customId` of the select menu.' }),
    componentType: OneOf(selectTypes, { description: 'The type of the component.' }),
    values: Type.Array(Type.String(), {
      description: 'The values of the options, or the ids of the users, roles or channels.',
    }),
    resolved: Type.Optional(
      Described(
        ResolvedEntities,
        'What the ids in `values` refer to; only for a menu with users, roles or channels.',
      ),
    ),
  },
  closed('The select menu and what the user selected.'),
)
export type SelectData = Static<typeof SelectData>

const ComponentMessage = Type.Object(
  {
    id: Described(Id, 'The id of the message.'),
    content: Type.String({ description: 'The text of the message.' }),
    components: Type.Array(Row, { description: 'The rows of buttons and select menus of the message.' }),
  },
  closed('The message with the component.'),
)

/** INTERACTION_CREATE for a button or select menu; `serverId` is null in a direct message (bots/interaction-payload). */
export const ComponentInteraction = Type.Object(
  {
    ...event,
    type: ComponentType,
    serverId: Nullable(Id, { description: 'The id of the server; null in a direct message.' }),
    message: ComponentMessage,
    data: Type.Union([ButtonData, SelectData], { description: 'The button or the select menu.' }),
  },
  closed('A user pressed a button or used a select menu.'),
)
export type ComponentInteraction = Static<typeof ComponentInteraction>

const SubmittedField = Type.Object(
  {
    type: OneOf(['text_input'], { description: 'The type of the component.' }),
    customId: Type.String({ description: 'The `customId` of the field.' }),
    value: Type.String({ description: 'The text that the user entered; empty if there is none.' }),
  },
  closed('A field of the modal.'),
)

/** INTERACTION_CREATE for a modal that a user submitted (bots/modal-submit). */
export const ModalSubmitInteraction = Type.Object(
  {
    ...event,
    type: ModalSubmitType,
    serverId: Nullable(Id, { description: 'The id of the server; null in a direct message.' }),
    message: Type.Optional(
      Described(
        ComponentMessage,
        'The message with the component that opened the modal, unless it was deleted.',
      ),
    ),
    data: Type.Object(
      {
        customId: Type.String({ description: 'The `customId` of the modal.' }),
        components: Type.Array(SubmittedField, { description: 'The fields in their order.' }),
      },
      closed('The modal and what the user entered.'),
    ),
  },
  closed('A user submitted a modal.'),
)
export type ModalSubmitInteraction = Static<typeof ModalSubmitInteraction>

/** INTERACTION_CREATE for the choices of an option while a user types (bots/autocomplete). */
export const AutocompleteInteraction = Type.Object(
  {
    ...event,
    type: OneOf(['autocomplete'], { description: 'A user types in an option with `autocomplete`.' }),
    serverId: Described(Id, 'The id of the server.'),
    data: SlashCommandData,
  },
  closed('A user types in an option of a command.'),
)
export type AutocompleteInteraction = Static<typeof AutocompleteInteraction>

/** `d` of INTERACTION_CREATE on the gateway, and the body of a signed request (bots/endpoint-signature). */
export const InteractionCreate = ShownAs(
  Type.Union([CommandInteraction, ComponentInteraction, ModalSubmitInteraction, AutocompleteInteraction]),
  Variants(
    'type',
    [CommandInteraction, ComponentInteraction, ModalSubmitInteraction, AutocompleteInteraction],
    'A user ran a command, used a component, submitted a modal, or types in an option.',
  ),
)
export type InteractionCreate = Static<typeof InteractionCreate>

/** The request that checks an interactions endpoint (bots/endpoint-signature). */
export interface Ping {
  type: 'ping'
}

/** `data` of a callback, and the body of a follow-up. `flags` 64 is the same as `ephemeral`. */
export const ResponseData = Type.Object(
  {
    content: Type.Optional(Content),
    embeds: Type.Optional(Documented(EmbedsInput, embedsText, value => checkEmbeds(value).violations)),
    components: Type.Optional(
      Documented(
        ComponentsInput,
        'Up to 5 rows of buttons or of one select menu; null and [] are none.',
        value => checkComponents(value).violations,
      ),
    ),
    allowedMentions: Type.Optional(
      Documented(
        AllowedMentionsInput,
        'The mentions that may notify.',
        value => checkAllowedMentions(value).violations,
      ),
    ),
    ephemeral: Type.Optional(
      Type.Boolean({ description: 'Whether only the user of the interaction sees it.' }),
    ),
    flags: Type.Optional(
      Type.Unsafe<0 | 64>({ type: 'integer', enum: [0, 64], description: '64 is the same as `ephemeral`.' }),
    ),
  },
  closed('The content of a response.'),
)
export type ResponseData = Static<typeof ResponseData>

/** Whether only the user can see the response: `ephemeral`, or `flags` with the value 64. */
export function isEphemeral(data: Pick<ResponseData, 'ephemeral' | 'flags'> | undefined): boolean {
  return data?.ephemeral === true || data?.flags === 64
}

const callbackNames = ['message', 'defer', 'deferred_update', 'update', 'autocomplete', 'modal'] as const
export type CallbackName = (typeof callbackNames)[number]

// The callback types of Discord's API: their numbers, and beside them their names.
const callbackNumbers = {
  4: 'message', // CHANNEL_MESSAGE_WITH_SOURCE
  5: 'defer', // DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE
  6: 'deferred_update', // DEFERRED_UPDATE_MESSAGE
  7: 'update', // UPDATE_MESSAGE
  8: 'autocomplete', // APPLICATION_COMMAND_AUTOCOMPLETE_RESULT
  9: 'modal', // MODAL
} as const
export type CallbackNumber = keyof typeof callbackNumbers

export const CallbackType = Type.Unsafe<CallbackName | CallbackNumber>({
  enum: [...callbackNames, ...Object.keys(callbackNumbers).map(Number)],
  description:
    'A name, or its number in the API of Discord: 4 message, 5 defer, 6 deferred_update, 7 update, 8 autocomplete, 9 modal.',
})
export type CallbackType = Static<typeof CallbackType>

/** The name of a callback type, which may be a number. */
export function callbackName(type: CallbackType): CallbackName {
  return typeof type === 'number' ? callbackNumbers[type] : type
}

const data = Type.Optional(ResponseData)
const CallbackTypeOf = (name: CallbackName) => OneOf([name], { description: 'The type of the response.' })
export const MessageCallback = Type.Object(
  { type: CallbackTypeOf('message'), data },
  closed('A new message.'),
)
export const DeferCallback = Type.Object(
  { type: CallbackTypeOf('defer'), data },
  closed('A placeholder until a follow-up replaces it. Only `data.ephemeral` and `data.flags` are accepted.'),
)
export const DeferredUpdateCallback = Type.Object(
  { type: CallbackTypeOf('deferred_update'), data },
  closed('Accepts the use of a component without a change.'),
)
export const UpdateCallback = Type.Object(
  { type: CallbackTypeOf('update'), data },
  closed('Edits the message with the component.'),
)
export const ModalCallback = Type.Object(
  { type: CallbackTypeOf('modal'), data: ModalInput },
  closed('Opens a modal for the user of the interaction.'),
)
export const AutocompleteData = Type.Object(
  {
    choices: Type.Array(Choice, {
      maxItems: maxChoices,
      description: 'The choices, whose values have the type of the option.',
    }),
  },
  closed('The choices that the user sees.'),
)
export const AutocompleteCallback = Type.Object(
  { type: CallbackTypeOf('autocomplete'), data: AutocompleteData },
  closed('Choices of an option, only for an interaction of the type `autocomplete`.'),
)
export const NumberedAutocompleteCallback = Type.Object(
  {
    type: Type.Unsafe<8>({
      type: 'integer',
      enum: [8],
      description: '8 autocomplete, as in the API of Discord.',
    }),
    data: AutocompleteData,
  },
  closed('Choices of an option, only for an interaction of the type `autocomplete`.'),
)
export const NumberedCallback = Type.Object(
  {
    type: Type.Unsafe<Exclude<CallbackNumber, 8 | 9>>({
      type: 'integer',
      enum: [4, 5, 6, 7],
      description: '4 message, 5 defer, 6 deferred_update, 7 update, as in the API of Discord.',
    }),
    data,
  },
  closed('A first response with the number of its type.'),
)
export const NumberedModalCallback = Type.Object(
  {
    type: Type.Unsafe<9>({ type: 'integer', enum: [9], description: '9 modal, as in the API of Discord.' }),
    data: ModalInput,
  },
  closed('Opens a modal for the user of the interaction.'),
)
export const NamedCallback = Variants(
  'type',
  [
    MessageCallback,
    DeferCallback,
    DeferredUpdateCallback,
    UpdateCallback,
    AutocompleteCallback,
    ModalCallback,
  ],
  'A first response with the name of its type.',
)

// The validator has one schema for the data of all types, because it is faster without unions.
const CallbackFields = Type.Object(
  {
    type: CallbackType,
    data: Type.Optional(
      Type.Object(
        {
          ...ResponseData.properties,
          customId: Type.Optional(Type.Unknown()),
          title: Type.Optional(Type.Unknown()),
          choices: Type.Optional(Type.Unknown()),
        },
        closed('The content of a message, a modal, or the choices of an option.'),
      ),
    ),
  },
  closed(
    'The first response; `data` for message, update, autocomplete and modal, and `data.ephemeral` for defer.',
  ),
)
export type CallbackBody = Static<typeof CallbackFields>

/** `POST /api/interactions/:id/:token/callback`, and the body of the HTTP response of an endpoint (bots/endpoint-signature). */
export const CallbackBody: TUnsafe<CallbackBody> = ShownAs(
  withRules<typeof CallbackFields, CallbackBody>(CallbackFields, checkCallback),
  Type.Union([NamedCallback, NumberedCallback, NumberedAutocompleteCallback, NumberedModalCallback]),
)

/** Only a modal has `customId` and `title`, and nothing of the content of a message except `components`. */
function checkCallback({ type, data }: CallbackBody): Violation[] {
  if (callbackName(type) === 'modal') {
    if (data === undefined) return [{ path: ['data'], ...required }]
    const { violations } = checkModal(data)
    prefixPaths(violations, 0, 'data')
    return violations
  }
  return (['customId', 'title'] as const)
    .filter(name => data?.[name] !== undefined)
    .map(name => ({ path: ['data', name], ...unknownMember(Object.keys(ResponseData.properties)) }))
}

/** 200 of a callback (bots/callback-response). */
export const CallbackResponse = Type.Object(
  {
    message: Nullable(Message, {
      description: 'The created or edited message; null for deferred_update, autocomplete and modal.',
    }),
  },
  closed('The response was accepted.'),
)
export type CallbackResponse = Static<typeof CallbackResponse>

const OptionName = Text({ max: maxCommandName, trim: 'keep', description: 'The name of the option.' })

/** An option of a command that a user runs. The service validates the value with the definition of the option. */
export const RunInteractionOption = Type.Object(
  { name: OptionName, value: ShownAs(Type.Unknown(), EnteredValue) },
  closed('An option and its value.'),
)
export type RunInteractionOption = Static<typeof RunInteractionOption>

export const RunSubcommand = Type.Object(
  {
    name: Text({ max: maxCommandName, trim: 'keep', description: 'The name of the subcommand.' }),
    options: Type.Optional(
      Type.Array(RunInteractionOption, {
        maxItems: maxOptions,
        description: 'The options that the user entered.',
      }),
    ),
  },
  closed('A subcommand and its options.'),
)

export const RunSubcommandGroup = Type.Object(
  {
    name: Text({ max: maxCommandName, trim: 'keep', description: 'The name of the group.' }),
    options: Type.Array(RunSubcommand, { minItems: 1, maxItems: 1, description: 'The subcommand.' }),
  },
  closed('A group and its subcommand.'),
)

const place = { channelId: Described(Id, 'The id of the channel.'), nonce: Type.Optional(Nonce) }
// The validator has one schema per level, because it is faster without unions. `validateOptions` of the service checks that
// each option has a value or options, as the command says.
const entered = { name: OptionName, value: Type.Optional(Type.Unknown()) }
const member = closed('An option, a subcommand or a group.')
const enteredList = { maxItems: maxOptions, description: 'The options that the user entered.' }
const ValueLevel = Type.Object(entered, member)
const SubcommandLevel = Type.Object(
  { ...entered, options: Type.Optional(Type.Array(ValueLevel, enteredList)) },
  member,
)
const EnteredOption = Type.Object(
  { ...entered, options: Type.Optional(Type.Array(SubcommandLevel, enteredList)) },
  member,
)
export interface EnteredOption {
  name: string
  value?: unknown
  options?: EnteredOption[]
}

/** For the API document: `EnteredOption` validates. */
export const RunOption = Type.Union([RunInteractionOption, RunSubcommand, RunSubcommandGroup], {
  description: 'An option and its value, or a subcommand or group.',
})

const options = Type.Optional(
  ShownAs(
    Type.Array(EnteredOption, enteredList),
    Type.Array(RunOption, {
      maxItems: maxOptions,
      description: 'The options that the user entered, or the subcommand or group with its options.',
    }),
  ),
)
const commandId = Described(Id, 'The id of the command.')
const targetId = Described(
  Id,
  'The id of the user or message in whose menu the command was chosen. Required for those commands, not accepted for slash commands.',
)
const messageId = Described(Id, 'The id of the message with the component.')
const CustomId = Text({
  min: 1,
  max: maxCustomId,
  trim: 'keep',
  description: 'The `customId` of the button or select menu.',
})
const Value = Text({ max: maxSelectValue, trim: 'keep' })
const values = Type.Optional(
  Type.Array(Value, {
    maxItems: maxSelectOptions,
    description: 'What the user selected; only for a select menu, which requires it.',
  }),
)

const interactionId = Described(Id, 'The id of the interaction whose response opened the modal.')
const enteredFields = Type.Array(EnteredField, {
  maxItems: maxTextInputs,
  description: 'What the user entered in the fields.',
})

/** For the API document: `RunInteractionBody` validates. */
export const RunCommandBody = Type.Object(
  { type: CommandType, ...place, commandId, options, targetId: Type.Optional(targetId) },
  closed('Runs a command.'),
)
export const UseComponentBody = Type.Object(
  { type: ComponentType, ...place, messageId, customId: CustomId, values },
  closed('Presses a button or uses a select menu.'),
)

export const SubmitModalBody = Type.Object(
  { type: ModalSubmitType, ...place, interactionId, components: enteredFields },
  closed('Submits a modal.'),
)

/** `POST /api/interactions/autocomplete` → 200 AutocompleteResponse. */
export const AutocompleteBody = Type.Object(
  {
    channelId: place.channelId,
    commandId,
    options,
    focused: Text({
      min: 1,
      max: maxCommandName,
      trim: 'keep',
      description: 'The name of the option in which the user types. Its value is the text so far.',
    }),
  },
  closed('The options so far. Required ones may be missing.'),
)
export type AutocompleteBody = Static<typeof AutocompleteBody>

export const AutocompleteResponse = Type.Object(
  { choices: Type.Array(Choice, { description: 'The choices of the bot, up to 25.' }) },
  closed('The choices that the bot suggests. The user may enter another value.'),
)
export type AutocompleteResponse = Static<typeof AutocompleteResponse>

const RunInteractionFields = Type.Object(
  {
    type: InteractionType,
    ...place,
    commandId: Type.Optional(commandId),
    options,
    targetId: Type.Optional(targetId),
    messageId: Type.Optional(messageId),
    customId: Type.Optional(CustomId),
    values,
    interactionId: Type.Optional(interactionId),
    components: Type.Optional(enteredFields),
  },
  closed(
    'With `command`: `commandId`, `options` and `targetId`. With `component`: `messageId`, `customId` and `values`. With `modal_submit`: `interactionId` and `components`.',
  ),
)
type RunInteractionFields = Static<typeof RunInteractionFields>

/** `POST /api/interactions` → 202 RunInteractionResponse: runs a command, uses a component or submits a modal. */
export const RunInteractionBody: TUnsafe<RunInteractionBody> = ShownAs(
  withRules<typeof RunInteractionFields, RunInteractionBody>(RunInteractionFields, checkType),
  Variants(
    'type',
    [RunCommandBody, UseComponentBody, SubmitModalBody],
    'A use of a command, a component or a modal.',
  ),
)
export type RunInteractionBody = Pick<RunInteractionFields, 'channelId' | 'nonce'> &
  (
    | { type: 'command'; commandId: string; options?: EnteredOption[]; targetId?: string }
    | { type: 'component'; messageId: string; customId: string; values?: string[] }
    | { type: 'modal_submit'; interactionId: string; components: EnteredField[] }
  )

type TypeField = Exclude<keyof RunInteractionFields, 'type' | keyof typeof place>

const typeFields: Readonly<
  Record<InteractionType, { required: readonly TypeField[]; optional: readonly TypeField[] }>
> = {
  command: { required: ['commandId'], optional: ['options', 'targetId'] },
  component: { required: ['messageId', 'customId'], optional: ['values'] },
  modal_submit: { required: ['interactionId', 'components'], optional: [] },
}

const allTypeFields = Object.values(typeFields).flatMap(fields => [...fields.required, ...fields.optional])

/** Requires the fields of the type, and rejects those of other types. */
function checkType(body: RunInteractionFields): Violation[] {
  const own = typeFields[body.type]
  const message = `is not accepted with the type "${body.type}"`
  return [
    ...allTypeFields
      .filter(
        name => body[name] !== undefined && !own.required.includes(name) && !own.optional.includes(name),
      )
      .map(name => ({ path: [name], code: 'not_allowed' as const, message })),
    ...own.required.filter(name => body[name] === undefined).map(name => ({ path: [name], ...required })),
  ]
}

export const InteractionState = OneOf(['pending', 'answered', 'deferred', 'timed_out', 'failed'], {
  description: 'Whether the bot has responded.',
})
export type InteractionState = Static<typeof InteractionState>

export const RunInteractionResponse = Type.Object(
  {
    id: Described(Id, 'The id of the interaction.'),
    state: InteractionState,
    deadlineAt: Described(Timestamp, 'When the first response must have arrived.'),
  },
  closed('The interaction was created.'),
)
export type RunInteractionResponse = Static<typeof RunInteractionResponse>

/** Why an interaction failed or timed out: the code of `reason`. */
export const InteractionReason = OneOf(['unreachable', 'no_answer', 'no_follow_up', 'removed'], {
  description: 'Why the interaction failed or timed out, for programs.',
})
export type InteractionReason = Static<typeof InteractionReason>

const status = {
  id: Described(Id, 'The id of the interaction.'),
  state: InteractionState,
  reason: Type.Optional(Type.String({ description: 'Why it failed or timed out, for the user.' })),
  reasonCode: Type.Optional(InteractionReason),
  modal: Type.Optional(
    Described(Modal, 'The modal with which the bot responded, until the token of the interaction expires.'),
  ),
}

/** `GET /api/interactions/:id`. */
export const InteractionStatus = Type.Object(status, closed('The status of an interaction.'))
export type InteractionStatus = Static<typeof InteractionStatus>

/** `d` of INTERACTION_UPDATE, which the user receives at every transition (gateway/event-payloads). */
export const InteractionUpdate = Type.Object(
  {
    ...status,
    nonce: Type.Optional(Type.String({ description: 'The nonce of the request, if it had one.' })),
  },
  closed('The status of an interaction.'),
)
export type InteractionUpdate = Static<typeof InteractionUpdate>

/** An entry of `GET /api/applications/:id/interactions`, the log for the developer. */
export const InteractionLogEntry = Type.Object(
  {
    id: Described(Id, 'The id of the interaction.'),
    type: InteractionType,
    name: Type.String({ description: "The command's name or the customId of the component or modal." }),
    commandType: Type.Optional(ContextCommandType),
    channelId: Described(Id, 'The id of the channel.'),
    serverId: Nullable(Id, { description: 'The id of the server; null in a direct message.' }),
    user: InteractionUser,
    createdAt: Described(Timestamp, 'When the user ran the command or used the component.'),
    state: InteractionState,
    sent: Type.Unknown({
      description: 'The event as it was sent, without its token. Of an ephemeral message it has only the id.',
    }),
    delivery: OneOf(['gateway', 'endpoint', 'console', 'none'], {
      description:
        'The way by which it was sent to the bot. `console`: a trial in the developer console. `none`: no gateway session accepted it.',
    }),
    response: Nullable(Type.String(), {
      description: 'The type of the first response; null if there was none.',
    }),
    respondedAfterMs: Nullable(Type.Integer(), {
      description: 'The milliseconds until the first response; null if there was none.',
    }),
    reason: Nullable(Type.String(), { description: 'Why it failed or timed out; null if it did not.' }),
  },
  closed('The event, how it was dispatched, and the response.'),
)
export type InteractionLogEntry = Static<typeof InteractionLogEntry>

// One schema without a union, as for callbacks. `tryCommand` of the service validates a modal.
const TryAnswer = Type.Object(
  {
    ...ResponseData.properties,
    customId: Type.Optional(Type.Unknown()),
    title: Type.Optional(Type.Unknown()),
  },
  closed('The content of a message, or a modal.'),
)

export const TryAnswerInput = Type.Union([ResponseData, ModalInput], {
  description: 'The response in place of the bot: the content of a message, or a modal.',
})

/** `POST /api/applications/:id/try` → 200 TryResponse: runs a command with the response that the developer gives in place of the bot. */
export const TryBody = Type.Object(
  {
    channelId: place.channelId,
    commandId,
    options,
    targetId: Type.Optional(targetId),
    answer: ShownAs(TryAnswer, TryAnswerInput),
  },
  closed('A command with its options, and the response in place of the bot. Only the developer sees it.'),
)
export type TryBody = Static<typeof TryBody>

export const TryResponse = Type.Object(
  {
    event: Described(CommandInteraction, 'The event that the bot would receive.'),
    message: Nullable(Message, {
      description: 'The message of the response, which only the developer sees; null if it is a modal.',
    }),
    modal: Type.Optional(Described(Modal, 'The modal of the response, which the developer may submit.')),
  },
  closed('The event that the bot would receive, and the message or modal of the response.'),
)
export type TryResponse = Static<typeof TryResponse>
