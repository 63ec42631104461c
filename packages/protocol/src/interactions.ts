import * as v from 'valibot'
import { ChannelType } from './channels.ts'
import { Choice, ContextCommandType, type OptionValue, optionTypes } from './commands.ts'
import { ComponentsInput, Row, selectTypes } from './components.ts'
import { EmbedsInput, embedsText } from './embeds.ts'
import type { Violation } from './field-errors.ts'
import { Id, Timestamp } from './ids.ts'
import { isJsonObject } from './json-object.ts'
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
import { AllowedMentionsInput } from './mentions.ts'
import { Content, InteractionType, Message, Nonce } from './messages.ts'
import { EnteredField, Modal, ModalInput } from './modals.ts'
import { PermissionSet } from './permissions.ts'
import { Member, Role } from './servers.ts'
import { InteractionUser, User } from './users.ts'
import {
  boolean,
  constant,
  converted,
  described,
  integer,
  keywords,
  list,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  refusing,
  rule,
  type Schema,
  shownAs,
  string,
  text,
  variant,
} from './wire.ts'

/** One of `options`. Unlike for `variant`, no member tells them apart, so the API document has no discriminator. */
/* @__NO_SIDE_EFFECTS__ */
function anyOf<const Options extends readonly Schema[]>(options: Options, description: string) {
  return described(v.union(options), description)
}

/** `schema`, an object, which does not accept the members `names`: other types have them. */
/* @__NO_SIDE_EFFECTS__ */
function refusingMembers<S extends Schema>(schema: S, names: readonly string[], message: string): S {
  return refusing(schema, given =>
    names
      .filter(name => Object.hasOwn(given, name))
      .map(name => ({ path: [name], code: 'not_allowed', message })),
  )
}

function byId<S extends Schema>(schema: S, description: string) {
  return optional(described(v.record(v.string(), schema), description))
}

const { user: _, ...memberEntries } = Member.entries

export const ResolvedMember = object(
  {
    ...memberEntries,
    permissions: described(
      PermissionSet,
      'The permissions of the member in the channel of the interaction; "0" if they cannot view it.',
    ),
  },
  'A member of the server, without the user.',
)
export type ResolvedMember = v.InferOutput<typeof ResolvedMember>

/** It has only what its user sees of a channel in a list, because the bot may not be able to view it. */
export const ResolvedChannel = object(
  {
    id: described(Id, 'The id of the channel.'),
    name: string('The name of the channel.'),
    type: ChannelType,
    permissions: described(PermissionSet, 'The permissions of the user of the interaction in the channel.'),
  },
  'A channel of the server.',
)
export type ResolvedChannel = v.InferOutput<typeof ResolvedChannel>

/** What the ids that a user entered or selected refer to (bots/resolved). A kind without an id is absent. */
export const ResolvedEntities = object(
  {
    users: byId(User, 'The users by their ids.'),
    members: byId(ResolvedMember, 'The members by the ids of their users; absent in a direct message.'),
    roles: byId(Role, 'The roles by their ids.'),
    channels: byId(ResolvedChannel, 'The channels by their ids.'),
  },
  'The users, members, roles and channels whose ids the user entered or selected.',
)
export type ResolvedEntities = v.InferOutput<typeof ResolvedEntities>

const resolvedMember = optional(
  described(ResolvedEntities, 'What the ids in the values refer to; absent if there are none.'),
)

const anyValue = v.custom<OptionValue>(() => true)
const EnteredValue = described(
  keywords(anyValue, { type: ['string', 'number', 'boolean'], maxLength: maxOptionValue }),
  'The value; for a user, channel, role or mentionable its id.',
)

/** A validated option, as the bot receives it. For a user, channel, role or mentionable the value is the id. */
export const EventValueOption = object(
  {
    name: string('The name of the option.'),
    type: oneOf(optionTypes, 'The type of the value that a user enters.'),
    value: EnteredValue,
    focused: optional(
      constant(true, 'Only for `autocomplete`: the user types in this option. `value` is the text so far.'),
    ),
  },
  'An option that the user entered, after validation.',
)
export type EventValueOption = v.InferOutput<typeof EventValueOption>

export const EventSubcommand = object(
  {
    name: string('The name of the subcommand.'),
    type: oneOf(['subcommand'], 'The user ran a subcommand.'),
    options: list(EventValueOption, 'The options that the user entered.'),
  },
  'The subcommand that the user ran.',
)

export const EventSubcommandGroup = object(
  {
    name: string('The name of the group.'),
    type: oneOf(['subcommand_group'], 'The user ran a subcommand of the group.'),
    options: list(EventSubcommand, 'The subcommand that the user ran.'),
  },
  'The group of the subcommand that the user ran.',
)

export const EventOption = variant(
  'type',
  [EventValueOption, EventSubcommand, EventSubcommandGroup],
  'An option that the user entered, or the subcommand that the user ran, with its options.',
)
export type EventOption = v.InferOutput<typeof EventOption>

const eventMembers = {
  version: constant(1, 'The version of this format.'),
  id: described(Id, 'The id of the interaction.'),
  token: string('For the paths of the response endpoints, until `expiresAt`.'),
  applicationId: described(Id, 'The id of the application.'),
  channelId: described(Id, 'The id of the channel.'),
  user: InteractionUser,
  createdAt: described(Timestamp, 'When the user ran the command or used the component.'),
  deadlineAt: described(Timestamp, 'When the first response must have arrived.'),
  expiresAt: described(Timestamp, 'When the token expires.'),
}

const CommandType = oneOf(['command'], 'A user ran a command.')
const ModalSubmitType = oneOf(['modal_submit'], 'A user submitted a modal.')
const ComponentType = oneOf(['component'], 'A user pressed a button or used a select menu.')

const usedCommand = {
  id: described(Id, 'The id of the command.'),
  name: string('The name of the command.'),
}

export const SlashCommandData = object(
  {
    ...usedCommand,
    options: list(EventOption, 'The options that the user entered.'),
    resolved: resolvedMember,
  },
  'The slash command and its options.',
)
export type SlashCommandData = v.InferOutput<typeof SlashCommandData>

const NoOptions = list(EventOption, 'Empty: the command has no options.', { max: 0 })

export const UserCommandData = object(
  {
    ...usedCommand,
    type: oneOf(['user'], 'A command in the menu of a user.'),
    options: NoOptions,
    targetId: described(Id, 'The id of the user in whose menu the command was chosen.'),
    resolved: object({ user: User, member: ResolvedMember }, 'The user, and the member of the server.'),
  },
  'The command, and the user in whose menu it was chosen.',
)
export type UserCommandData = v.InferOutput<typeof UserCommandData>

export const MessageCommandData = object(
  {
    ...usedCommand,
    type: oneOf(['message'], 'A command in the menu of a message.'),
    options: NoOptions,
    targetId: described(Id, 'The id of the message in whose menu the command was chosen.'),
    resolved: object({ message: Message }, 'The message, with its content.'),
  },
  'The command, and the message in whose menu it was chosen.',
)
export type MessageCommandData = v.InferOutput<typeof MessageCommandData>

/** Named, as generators for Go have no type for a choice without a name. */
export const UsedCommand = anyOf(
  [SlashCommandData, UserCommandData, MessageCommandData],
  'The command, with its options or the user or message that it was chosen for.',
)

/** INTERACTION_CREATE for a command (bots/interaction-payload, bots/context-commands). */
export const CommandInteraction = object(
  { ...eventMembers, type: CommandType, serverId: described(Id, 'The id of the server.'), data: UsedCommand },
  'A user ran a command.',
)
export type CommandInteraction = v.InferOutput<typeof CommandInteraction>

export const ButtonData = object(
  {
    customId: string('The `customId` of the button.'),
    componentType: oneOf(['button'], 'The type of the component.'),
  },
  'The button.',
)

export const SelectData = object(
  {
    customId: string('The `customId` of the select menu.'),
    componentType: oneOf(selectTypes, 'The type of the component.'),
    values: list(string(), 'The values of the options, or the ids of the users, roles or channels.'),
    resolved: resolvedMember,
  },
  'The select menu and what the user selected.',
)
export type SelectData = v.InferOutput<typeof SelectData>

const ComponentMessage = object(
  {
    id: described(Id, 'The id of the message.'),
    content: string('The text of the message.'),
    components: list(Row, 'The rows of buttons and select menus of the message.'),
  },
  'The message with the component.',
)

/**
 * INTERACTION_CREATE for a button or select menu; `serverId` is null in a direct message (bots/interaction-payload).
 */
export const ComponentInteraction = object(
  {
    ...eventMembers,
    type: ComponentType,
    serverId: nullable(Id, 'The id of the server; null in a direct message.'),
    message: ComponentMessage,
    data: anyOf([ButtonData, SelectData], 'The button or the select menu.'),
  },
  'A user pressed a button or used a select menu.',
)
export type ComponentInteraction = v.InferOutput<typeof ComponentInteraction>

const SubmittedField = object(
  {
    type: oneOf(['text_input'], 'The type of the component.'),
    customId: string('The `customId` of the field.'),
    value: string('The text that the user entered; empty if there is none.'),
  },
  'A field of the modal.',
)

/** INTERACTION_CREATE for a modal that a user submitted (bots/modal-submit). */
export const ModalSubmitInteraction = object(
  {
    ...eventMembers,
    type: ModalSubmitType,
    serverId: nullable(Id, 'The id of the server; null in a direct message.'),
    message: optional(
      described(
        ComponentMessage,
        'The message with the component that opened the modal, unless it was deleted.',
      ),
    ),
    data: object(
      {
        customId: string('The `customId` of the modal.'),
        components: list(SubmittedField, 'The fields in their order.'),
      },
      'The modal and what the user entered.',
    ),
  },
  'A user submitted a modal.',
)
export type ModalSubmitInteraction = v.InferOutput<typeof ModalSubmitInteraction>

/** INTERACTION_CREATE for the choices of an option while a user types (bots/autocomplete). */
export const AutocompleteInteraction = object(
  {
    ...eventMembers,
    type: oneOf(['autocomplete'], 'A user types in an option with `autocomplete`.'),
    serverId: described(Id, 'The id of the server.'),
    data: SlashCommandData,
  },
  'A user types in an option of a command.',
)
export type AutocompleteInteraction = v.InferOutput<typeof AutocompleteInteraction>

/** `d` of INTERACTION_CREATE on the gateway, and the body of a signed request (bots/endpoint-signature). */
export const InteractionCreate = variant(
  'type',
  [CommandInteraction, ComponentInteraction, ModalSubmitInteraction, AutocompleteInteraction],
  'A user ran a command, used a component, submitted a modal, or types in an option.',
)
export type InteractionCreate = v.InferOutput<typeof InteractionCreate>

/** The request that checks an interactions endpoint (bots/endpoint-signature). */
export interface Ping {
  type: 'ping'
}

/** `data` of a callback, and the body of a follow-up. `flags` 64 is the same as `ephemeral`. */
export const ResponseData = object(
  {
    content: optional(Content),
    embeds: optional(described(EmbedsInput, embedsText)),
    components: optional(ComponentsInput),
    allowedMentions: optional(AllowedMentionsInput),
    ephemeral: optional(boolean('Whether only the user of the interaction sees it.')),
    flags: optional(oneOf([0, 64], '64 is the same as `ephemeral`.')),
  },
  'The content of a response.',
)
export type ResponseData = v.InferOutput<typeof ResponseData>

/** Whether only the user can see the response: `ephemeral`, or `flags` with the value 64. */
export function isEphemeral(data: Pick<ResponseData, 'ephemeral' | 'flags'> | undefined): boolean {
  return data?.ephemeral === true || data?.flags === 64
}

// The numbers of the callback types in Discord's API.
const callbackNames = {
  4: 'message', // CHANNEL_MESSAGE_WITH_SOURCE
  5: 'defer', // DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE
  6: 'deferred_update', // DEFERRED_UPDATE_MESSAGE
  7: 'update', // UPDATE_MESSAGE
  8: 'autocomplete', // APPLICATION_COMMAND_AUTOCOMPLETE_RESULT
  9: 'modal', // MODAL
} as const
const callbackTypes = [...Object.values(callbackNames), 4, 5, 6, 7, 8, 9] as const
export type CallbackName = (typeof callbackNames)[keyof typeof callbackNames]

const messageData = optional(
  refusingMembers(ResponseData, ['choices'], 'is accepted only with "autocomplete"'),
)
const callbackType = <const Name extends CallbackName>(name: Name) =>
  oneOf([name], 'The type of the response.')
export const MessageCallback = object({ type: callbackType('message'), data: messageData }, 'A new message.')
export const DeferCallback = object(
  { type: callbackType('defer'), data: messageData },
  'A placeholder until a follow-up replaces it. Only `data.ephemeral` and `data.flags` are accepted.',
)
export const DeferredUpdateCallback = object(
  { type: callbackType('deferred_update'), data: messageData },
  'Accepts the use of a component without a change.',
)
export const UpdateCallback = object(
  { type: callbackType('update'), data: messageData },
  'Edits the message with the component.',
)
export const ModalCallback = object(
  { type: callbackType('modal'), data: ModalInput },
  'Opens a modal for the user of the interaction.',
)
/** The service validates the choices with the definition of the option (`checkChoices`). */
export const AutocompleteData = object(
  {
    choices: shownAs(
      v.unknown(),
      list(Choice, 'The choices, whose values have the type of the option.', { max: maxChoices }),
    ),
  },
  'The choices that the user sees.',
)
const choicesData = refusingMembers(
  AutocompleteData,
  Object.keys(ResponseData.entries),
  'is accepted only with a message',
)
export const AutocompleteCallback = object(
  { type: callbackType('autocomplete'), data: choicesData },
  'Choices of an option, only for an interaction of the type `autocomplete`.',
)
export const NumberedAutocompleteCallback = object(
  { type: constant(8, '8 autocomplete, as in the API of Discord.'), data: choicesData },
  'Choices of an option, only for an interaction of the type `autocomplete`.',
)
export const NumberedCallback = object(
  {
    type: oneOf([4, 5, 6, 7], '4 message, 5 defer, 6 deferred_update, 7 update, as in the API of Discord.'),
    data: messageData,
  },
  'A first response with the number of its type.',
)
export const NumberedModalCallback = object(
  { type: constant(9, '9 modal, as in the API of Discord.'), data: ModalInput },
  'Opens a modal for the user of the interaction.',
)
const withData = (given: unknown) => (isJsonObject(given) ? { data: {}, ...given } : given)
export const NamedCallback = variant(
  'type',
  [
    MessageCallback,
    DeferCallback,
    DeferredUpdateCallback,
    UpdateCallback,
    // Without `data`, the member that is missing is `data.choices`.
    converted(AutocompleteCallback, withData),
    ModalCallback,
  ],
  'A first response with the name of its type.',
)

/**
 * `POST /api/interactions/:id/:token/callback`, and the body of the HTTP response of an endpoint
 * (bots/endpoint-signature). The value has the name of the type.
 */
export const CallbackBody = shownAs(
  v.pipe(
    variant(
      'type',
      [
        NamedCallback,
        NumberedCallback,
        converted(NumberedAutocompleteCallback, withData),
        NumberedModalCallback,
      ],
      undefined,
      { others: object({ ...partial(MessageCallback.entries), type: oneOf(callbackTypes) }) },
    ),
    v.transform(({ type, ...rest }) => {
      const name = typeof type === 'number' ? callbackNames[type] : type
      return { type: name, ...rest } as CallbackBody
    }),
    rule(checkPlaceholder),
  ),
  anyOf(
    [NamedCallback, NumberedCallback, NumberedAutocompleteCallback, NumberedModalCallback],
    'The first response; `data` for message, update, autocomplete and modal, and `data.ephemeral` for defer.',
  ),
)
export type CallbackBody =
  | { type: Exclude<CallbackName, 'autocomplete' | 'modal'>; data?: ResponseData }
  | { type: 'autocomplete'; data: v.InferOutput<typeof AutocompleteData> }
  | { type: 'modal'; data: Modal }

/** `defer` accepts only `ephemeral` and `flags`, `deferred_update` accepts nothing (bots/interaction-states). */
function checkPlaceholder({ type, data = {} }: CallbackBody): Violation[] {
  if (type !== 'defer' && type !== 'deferred_update') return []
  return Object.keys(data)
    .filter(name => type === 'deferred_update' || (name !== 'ephemeral' && name !== 'flags'))
    .map(name => ({ path: ['data', name], code: 'not_allowed', message: `is not allowed with ${type}` }))
}

/** 200 of a callback (bots/callback-response). */
export const CallbackResponse = object(
  {
    message: nullable(
      Message,
      'The created or edited message; null for deferred_update, autocomplete and modal.',
    ),
  },
  'The response was accepted.',
)
export type CallbackResponse = v.InferOutput<typeof CallbackResponse>

const enteredText = 'The options that the user entered.'
const OptionName = text({ max: maxCommandName, description: 'The name of the option.', clean: 'keep' })

/** An option of a command that a user runs. The service validates the value with the definition of the option. */
export const RunInteractionOption = object(
  { name: OptionName, value: EnteredValue },
  'An option and its value.',
)
export type RunInteractionOption = v.InferOutput<typeof RunInteractionOption>

export const RunSubcommand = object(
  {
    name: text({ max: maxCommandName, description: 'The name of the subcommand.', clean: 'keep' }),
    options: optional(list(RunInteractionOption, enteredText, { max: maxOptions })),
  },
  'A subcommand and its options.',
)

export const RunSubcommandGroup = object(
  {
    name: text({ max: maxCommandName, description: 'The name of the group.', clean: 'keep' }),
    options: list(RunSubcommand, 'The subcommand.', { min: 1, max: 1 }),
  },
  'A group and its subcommand.',
)

const channelAndNonce = { channelId: described(Id, 'The id of the channel.'), nonce: optional(Nonce) }

// One object per level, of which `checkOptions` requires a value or options, as the command says.
const entered = { name: OptionName, value: optional(v.unknown()) }
const EnteredValueOption = object(entered)
const EnteredSubcommand = object({
  ...entered,
  options: optional(list(EnteredValueOption, undefined, { max: maxOptions })),
})
const EnteredOption = object({
  ...entered,
  options: optional(list(EnteredSubcommand, undefined, { max: maxOptions })),
})
export interface EnteredOption {
  name: string
  value?: unknown
  options?: EnteredOption[]
}

export const RunOption = anyOf(
  [RunInteractionOption, RunSubcommand, RunSubcommandGroup],
  'An option and its value, or a subcommand or group.',
)

const enteredOptions = optional(list(shownAs(EnteredOption, RunOption), enteredText, { max: maxOptions }))
const commandId = described(Id, 'The id of the command.')
const targetId = described(
  Id,
  'The id of the user or message in whose menu the command was chosen. Required for those ' +
    'commands, not accepted for slash commands.',
)

export const RunCommandBody = object(
  { type: CommandType, ...channelAndNonce, commandId, options: enteredOptions, targetId: optional(targetId) },
  'Runs a command.',
)
export const UseComponentBody = object(
  {
    type: ComponentType,
    ...channelAndNonce,
    messageId: described(Id, 'The id of the message with the component.'),
    customId: text({
      min: 1,
      max: maxCustomId,
      clean: 'keep',
      description: 'The `customId` of the button or select menu.',
    }),
    values: optional(
      list(
        text({ max: maxSelectValue, clean: 'keep' }),
        'What the user selected; only for a select menu, which requires it.',
        { max: maxSelectOptions },
      ),
    ),
  },
  'Presses a button or uses a select menu.',
)

export const SubmitModalBody = object(
  {
    type: ModalSubmitType,
    ...channelAndNonce,
    interactionId: described(Id, 'The id of the interaction whose response opened the modal.'),
    components: list(EnteredField, 'What the user entered in the fields.', { max: maxTextInputs }),
  },
  'Submits a modal.',
)

/** `POST /api/interactions/autocomplete` → 200 AutocompleteResponse. */
export const AutocompleteBody = object(
  {
    channelId: channelAndNonce.channelId,
    commandId,
    options: enteredOptions,
    focused: text({
      min: 1,
      max: maxCommandName,
      description: 'The name of the option in which the user types. Its value is the text so far.',
      clean: 'keep',
    }),
  },
  'The options so far. Required ones may be missing.',
)
export type AutocompleteBody = v.InferOutput<typeof AutocompleteBody>

export const AutocompleteResponse = object(
  { choices: list(Choice, 'The choices of the bot, up to 25.') },
  'The choices that the bot suggests. The user may enter another value.',
)
export type AutocompleteResponse = v.InferOutput<typeof AutocompleteResponse>

const useMembers = { ...RunCommandBody.entries, ...UseComponentBody.entries, ...SubmitModalBody.entries }

/** `body`, which rejects the members of the other types. */
function useOf<Entries extends v.ObjectEntries>(body: v.ObjectSchema<Entries, undefined>) {
  const others = Object.keys(useMembers).filter(name => !Object.hasOwn(body.entries, name))
  return refusingMembers(body, others, 'is not accepted with this type')
}

/** `POST /api/interactions` → 202 RunInteractionResponse: runs a command, uses a component or submits a modal. */
export const RunInteractionBody = variant(
  'type',
  [useOf(RunCommandBody), useOf(UseComponentBody), useOf(SubmitModalBody)],
  'With `command`: `commandId`, `options` and `targetId`. With `component`: `messageId`, ' +
    '`customId` and `values`. With `modal_submit`: `interactionId` and `components`.',
  { others: object({ ...partial(useMembers), channelId: channelAndNonce.channelId, type: InteractionType }) },
)
export type RunInteractionBody = v.InferOutput<typeof RunInteractionBody>

export const InteractionState = oneOf(
  ['pending', 'answered', 'deferred', 'timed_out', 'failed'],
  'Whether the bot has responded.',
)
export type InteractionState = v.InferOutput<typeof InteractionState>

export const RunInteractionResponse = object(
  {
    id: described(Id, 'The id of the interaction.'),
    state: InteractionState,
    deadlineAt: described(Timestamp, 'When the first response must have arrived.'),
  },
  'The interaction was created.',
)
export type RunInteractionResponse = v.InferOutput<typeof RunInteractionResponse>

/** Why an interaction failed or timed out: the code of `reason`. */
export const InteractionReason = oneOf(
  ['unreachable', 'no_answer', 'no_follow_up', 'removed'],
  'Why the interaction failed or timed out, for programs.',
)
export type InteractionReason = v.InferOutput<typeof InteractionReason>

const statusMembers = {
  id: described(Id, 'The id of the interaction.'),
  state: InteractionState,
  reason: optional(string('Why it failed or timed out, for the user.')),
  reasonCode: optional(InteractionReason),
  modal: optional(
    described(Modal, 'The modal with which the bot responded, until the token of the interaction expires.'),
  ),
}

/** `GET /api/interactions/:id`. */
export const InteractionStatus = object(statusMembers, 'The status of an interaction.')
export type InteractionStatus = v.InferOutput<typeof InteractionStatus>

/** `d` of INTERACTION_UPDATE, which the user receives at every transition (gateway/event-payloads). */
export const InteractionUpdate = object(
  { ...statusMembers, nonce: optional(string('The nonce of the request, if it had one.')) },
  'The status of an interaction.',
)
export type InteractionUpdate = v.InferOutput<typeof InteractionUpdate>

/** An entry of `GET /api/applications/:id/interactions`, the log for the developer. */
export const InteractionLogEntry = object(
  {
    id: described(Id, 'The id of the interaction.'),
    type: InteractionType,
    name: string("The command's name or the customId of the component or modal."),
    commandType: optional(ContextCommandType),
    channelId: described(Id, 'The id of the channel.'),
    serverId: nullable(Id, 'The id of the server; null in a direct message.'),
    user: InteractionUser,
    createdAt: described(Timestamp, 'When the user ran the command or used the component.'),
    state: InteractionState,
    sent: described(
      v.unknown(),
      'The event as it was sent, without its token. Of an ephemeral message it has only the id.',
    ),
    delivery: oneOf(
      ['gateway', 'endpoint', 'console', 'none'],
      'The way by which it was sent to the bot. `console`: a trial in the developer console. ' +
        '`none`: no gateway session accepted it.',
    ),
    response: nullable(string(), 'The type of the first response; null if there was none.'),
    respondedAfterMs: nullable(
      integer(),
      'The milliseconds until the first response; null if there was none.',
    ),
    reason: nullable(string(), 'Why it failed or timed out; null if it did not.'),
  },
  'The event, how it was dispatched, and the response.',
)
export type InteractionLogEntry = v.InferOutput<typeof InteractionLogEntry>

export const TryAnswerInput = anyOf(
  [ResponseData, ModalInput],
  'The response in place of the bot: the content of a message, or a modal.',
)

/**
 * `POST /api/applications/:id/try` → 200 TryResponse: runs a command with the response that the developer gives in
 * place of the bot.
 */
export const TryBody = object(
  {
    channelId: channelAndNonce.channelId,
    commandId,
    options: enteredOptions,
    targetId: optional(targetId),
    // `tryCommand` validates it after the options.
    answer: shownAs(v.unknown(), described(TryAnswerInput, 'The content of a message, or a modal.')),
  },
  'A command with its options, and the response in place of the bot. Only the developer sees it.',
)
export type TryBody = v.InferOutput<typeof TryBody>

export const TryResponse = object(
  {
    event: described(CommandInteraction, 'The event that the bot would receive.'),
    message: nullable(
      Message,
      'The message of the response, which only the developer sees; null if it is a modal.',
    ),
    modal: optional(described(Modal, 'The modal of the response, which the developer may submit.')),
  },
  'The event that the bot would receive, and the message or modal of the response.',
)
export type TryResponse = v.InferOutput<typeof TryResponse>
