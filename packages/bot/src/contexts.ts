import type { BotApi } from './api.ts'
import type { HandlerClock } from './clock.ts'
import {
  type CommandDefinition,
  type OptionsOf,
  readOptions,
  readSubcommand,
  type SubcommandDefinitionsOf,
  type WithOptions,
} from './commands.ts'
import type { ParamsOf } from './custom-ids.ts'
import { type EntitiesOf, readEntities } from './entities.ts'
import type { Reply, ReplyEdit } from './reply.ts'
import type { Responder, ResponderState } from './responder.ts'
import type {
  AnyUser,
  ButtonInteraction,
  CommandInteraction,
  GatewayEvents,
  Message,
  MessageCommandInteraction,
  Modal,
  ModalInteraction,
  ResolvedEntities,
  ResolvedMember,
  SelectInteraction,
  User,
  UserCommandInteraction,
} from './types.ts'

export interface AwaitOptions<Ctx, Pattern extends string = string> {
  /** The customId, or a pattern such as `vote:{choice}`. By default, every customId is accepted. */
  customId?: Pattern
  /** The id of the user. Default: everyone. */
  user?: string
  /** What it returns false for is ignored, and goes to the handlers of the bot. */
  filter?: (ctx: Ctx) => boolean
  /** The message with the components. Default: the messages of this interaction. */
  message?: Pick<Message, 'id'>
  /** Default: 15 minutes, after which this interaction accepts no response. */
  timeoutMs?: number
}

export type AwaitModalOptions = Pick<AwaitOptions<ModalContext>, 'filter' | 'timeoutMs'>

export interface AwaitMessageOptions {
  /** The id of the author. Default: everyone but bots. */
  user?: string
  filter?: (message: GatewayEvents['MESSAGE_CREATE']) => boolean
  /** Default: 15 minutes. */
  timeoutMs?: number
}

/** What a handler can wait for after its response. All resolve to undefined after the time, and when the bot stops. */
export interface Waiting {
  /** Waits for one press of a button. The press does not go to the handlers of the bot. */
  awaitButton<const Pattern extends string = string>(
    options?: AwaitOptions<ButtonContext, Pattern>,
  ): Promise<ButtonContext<ParamsOf<Pattern>> | undefined>
  /** Waits for one use of a select menu. It does not go to the handlers of the bot. */
  awaitSelect<const Pattern extends string = string>(
    options?: AwaitOptions<SelectContext, Pattern>,
  ): Promise<SelectContext<ParamsOf<Pattern>> | undefined>
  /**
   * Waits until the user of this interaction submits the modal, by itself, its customId or a pattern, which `showModal`
   * has opened.
   */
  awaitModal<const Pattern extends string, const Field extends string = string>(
    modal: Pattern | Modal<Pattern, Field>,
    options?: AwaitModalOptions,
  ): Promise<ModalContext<ParamsOf<Pattern>, { readonly [Name in Field]: string }> | undefined>
  /** Waits for one message in the channel. Needs an intent, as the event `message`, which also has the message. */
  awaitMessage(options?: AwaitMessageOptions): Promise<GatewayEvents['MESSAGE_CREATE'] | undefined>
}

/** The responder of a handler, which may also wait for other interactions, and for a time. */
export type WaitingResponder = Responder & { readonly waiting: Waiting; readonly clock: HandlerClock }

/** The common part of all contexts. */
interface Context extends Waiting, HandlerClock {
  /** The user who used the command or component. */
  readonly user: User
  readonly channelId: string
  /** Other API requests, for example to send a message or open a direct message. */
  readonly api: BotApi
  readonly state: ResponderState
  /** Aborts when the interaction no longer accepts a response. Pass it to long operations. */
  readonly signal: AbortSignal
  /**
   * Sends the response. After `defer`, replaces the placeholder. May be called once; then use `followUp` and
   * `edit`.
   */
  reply(message: string | Reply): Promise<Message>
  /** Defers the response: shows a placeholder and extends the deadline to 15 minutes. */
  defer(options?: { ephemeral?: boolean }): Promise<void>
  /** Edits the response. `{ messageId, content }` edits the follow-up with this id. */
  edit(message: string | ReplyEdit): Promise<Message>
  /** Sends a follow-up message after the first response. */
  followUp(message: string | Reply): Promise<Message>
  /** Deletes the response, or the follow-up with the given id. */
  deleteReply(messageId?: string): Promise<void>
}

/**
 * `Options` is `OptionsOf` a definition, `Subcommand` the names of the group and subcommand, and `Entities` is
 * `EntitiesOf` the definition.
 */
export interface CommandContext<
  Options = OptionsOf<CommandDefinition>,
  Subcommand extends string | undefined = string | undefined,
  Entities = EntitiesOf<CommandDefinition>,
> extends Context {
  readonly type: 'command'
  readonly event: CommandInteraction
  readonly serverId: string
  readonly name: string
  /** The names of the group and subcommand, separated by a space. It decides the type of `options`. */
  readonly subcommand: Subcommand
  /** The options by name, typed by the definition. */
  readonly options: Options
  /**
   * The users, channels and roles that options refer to, by the names of the options. A mentionable has either `user`
   * or `role`.
   */
  readonly entities: Entities
  /** Opens a modal for the user, as the first response. `bot.modal` receives what the user enters. */
  showModal(modal: Modal): Promise<void>
}

/** The context of a command: one type for each of its subcommands, which `ctx.subcommand` tells apart. */
export type CommandContextOf<Definition extends CommandDefinition> = [
  keyof SubcommandDefinitionsOf<Definition>,
] extends [never]
  ? CommandContext<OptionsOf<Definition>, undefined, EntitiesOf<Definition>>
  : {
      [Name in keyof SubcommandDefinitionsOf<Definition> & string]: SubcommandContext<
        SubcommandDefinitionsOf<Definition>[Name],
        Name
      >
    }[keyof SubcommandDefinitionsOf<Definition> & string]

type SubcommandContext<Subcommand, Name extends string> = Subcommand extends WithOptions
  ? CommandContext<OptionsOf<Subcommand>, Name, EntitiesOf<Subcommand>>
  : never

/** A command in the menu of a user. */
export interface UserCommandContext extends Context {
  readonly type: 'userCommand'
  readonly event: UserCommandInteraction
  readonly serverId: string
  readonly name: string
  /** The user in whose menu the command was chosen, and their member. */
  readonly target: AnyUser
  readonly member: ResolvedMember
  /** Opens a modal for the user, as the first response. `bot.modal` receives what the user enters. */
  showModal(modal: Modal): Promise<void>
}

/** A command in the menu of a message. */
export interface MessageCommandContext extends Context {
  readonly type: 'messageCommand'
  readonly event: MessageCommandInteraction
  readonly serverId: string
  readonly name: string
  /** The message in whose menu the command was chosen, with its content. */
  readonly target: Message
  /** Opens a modal for the user, as the first response. `bot.modal` receives what the user enters. */
  showModal(modal: Modal): Promise<void>
}

/** The common part of the contexts of buttons and select menus. `Params` is `ParamsOf` a pattern. */
interface ComponentContext<Params> extends Context {
  /** Null in a direct message. */
  readonly serverId: string | null
  readonly customId: string
  /** The parameters of the pattern. */
  readonly params: Params
  /** The message that contains the component. */
  readonly message: ButtonInteraction['message']
  /** Updates the message that contains the component. */
  update(message: string | Reply): Promise<Message>
  /** Acknowledges the use. `update` may follow within 15 minutes. */
  deferUpdate(): Promise<void>
  /** Opens a modal for the user, as the first response. `bot.modal` receives what the user enters. */
  showModal(modal: Modal): Promise<void>
}

export interface ButtonContext<Params = ParamsOf<string>> extends ComponentContext<Params> {
  readonly type: 'button'
  readonly event: ButtonInteraction
}

export interface SelectContext<Params = ParamsOf<string>> extends ComponentContext<Params> {
  readonly type: 'select'
  readonly event: SelectInteraction
  /** The values of the options, or the ids of the users, roles or channels. */
  readonly values: readonly string[]
  /** The users, roles or channels that the ids in `values` refer to. */
  readonly resolved: ResolvedEntities
}

/** `Fields` are the texts that the user entered, by the `customId` of the field. */
export interface ModalContext<Params = ParamsOf<string>, Fields = Readonly<Record<string, string>>>
  extends Context {
  readonly type: 'modal'
  readonly event: ModalInteraction
  /** Null in a direct message. */
  readonly serverId: string | null
  readonly customId: string
  /** The parameters of the pattern. */
  readonly params: Params
  readonly fields: Fields
  /** The message with the component that opened the modal. Undefined for a command, or if it was deleted. */
  readonly message: ModalInteraction['message']
  /** Updates the message with the component that opened the modal. */
  update(message: string | Reply): Promise<Message>
  /**
   * Acknowledges the submit without a message. If a component opened the modal, `update` may follow within 15 minutes.
   */
  deferUpdate(): Promise<void>
}

/** The context of a handler that can respond. That of autocomplete is not one of them. */
export type AnyContext =
  | CommandContext
  | UserCommandContext
  | MessageCommandContext
  | ButtonContext
  | SelectContext
  | ModalContext

/** What the contexts of all commands have. */
function createCommandBase(
  event: CommandInteraction | UserCommandInteraction | MessageCommandInteraction,
  responder: WaitingResponder,
  api: BotApi,
) {
  const { user, channelId, serverId, data } = event
  const { showModal } = responder
  const base = createBaseContext(responder, api)
  return Object.assign(base, { showModal, user, channelId, serverId, name: data.name })
}

export function createUserCommandContext(
  event: UserCommandInteraction,
  responder: WaitingResponder,
  api: BotApi,
): UserCommandContext {
  return Object.assign(createCommandBase(event, responder, api), {
    type: 'userCommand' as const,
    event,
    target: event.data.resolved.user,
    member: event.data.resolved.member,
  })
}

export function createMessageCommandContext(
  event: MessageCommandInteraction,
  responder: WaitingResponder,
  api: BotApi,
): MessageCommandContext {
  return Object.assign(createCommandBase(event, responder, api), {
    type: 'messageCommand' as const,
    event,
    target: event.data.resolved.message,
  })
}

export function createCommandContext(
  event: CommandInteraction,
  responder: WaitingResponder,
  api: BotApi,
): CommandContext {
  return Object.assign(createCommandBase(event, responder, api), {
    type: 'command' as const,
    event,
    subcommand: readSubcommand(event),
    options: readOptions(event).options,
    entities: readEntities(event),
  })
}

export function createButtonContext(
  event: ButtonInteraction,
  params: Readonly<Record<string, string>>,
  responder: WaitingResponder,
  api: BotApi,
): ButtonContext {
  return Object.assign(createComponentContext(event, params, responder, api), {
    type: 'button' as const,
    event,
    message: event.message,
    showModal: responder.showModal,
  })
}

export function createSelectContext(
  event: SelectInteraction,
  params: Readonly<Record<string, string>>,
  responder: WaitingResponder,
  api: BotApi,
): SelectContext {
  const { values, resolved = {} } = event.data
  return Object.assign(createComponentContext(event, params, responder, api), {
    type: 'select' as const,
    event,
    message: event.message,
    values,
    resolved,
    showModal: responder.showModal,
  })
}

export function createModalContext(
  event: ModalInteraction,
  params: Readonly<Record<string, string>>,
  responder: WaitingResponder,
  api: BotApi,
): ModalContext {
  return Object.assign(createComponentContext(event, params, responder, api), {
    type: 'modal' as const,
    event,
    message: event.message,
    fields: Object.fromEntries(event.data.components.map(({ customId, value }) => [customId, value])),
  })
}

function createComponentContext(
  event: ButtonInteraction | SelectInteraction | ModalInteraction,
  params: Readonly<Record<string, string>>,
  responder: WaitingResponder,
  api: BotApi,
) {
  return Object.assign(createBaseContext(responder, api), {
    user: event.user,
    channelId: event.channelId,
    serverId: event.serverId,
    customId: event.data.customId,
    params,
    update: responder.update,
    deferUpdate: responder.deferUpdate,
  })
}

/** The same context, with its options typed by the definition that was registered. */
export function typeOptions<Definition extends CommandDefinition>(
  ctx: CommandContext,
): CommandContextOf<Definition> {
  // The service has validated the event against the registered definition.
  return ctx as CommandContextOf<Definition>
}

/** The same context, with its parameters typed by the pattern that its customId matched. */
export function typeParams<Pattern extends string, Ctx extends { params: ParamsOf<string> }>(
  ctx: Ctx,
): Ctx & { params: ParamsOf<Pattern> } {
  // The matcher of the pattern returns exactly the names in the pattern.
  return Object.assign(ctx, { params: ctx.params as ParamsOf<Pattern> })
}

/**
 * The same context, typed by the pattern of its customId and the fields of the modal, which the service has validated.
 */
export function typeFields<Pattern extends string, Field extends string>(
  ctx: ModalContext,
): ModalContext<ParamsOf<Pattern>, { readonly [Name in Field]: string }> {
  return ctx as ModalContext<ParamsOf<Pattern>, { readonly [Name in Field]: string }>
}

/**
 * What all contexts have. Others are added with `Object.assign`: the spread of a context would copy the value of
 * `state`.
 */
function createBaseContext(responder: WaitingResponder, api: BotApi) {
  const { signal, reply, defer, edit, followUp, deleteReply } = responder
  return {
    get state() {
      return responder.state
    },
    ...{ api, signal, reply, defer, edit, followUp, deleteReply },
    ...responder.waiting,
    ...responder.clock,
  }
}
