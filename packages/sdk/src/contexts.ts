import type { BotApi } from './api.ts'
import type { Waiting } from './collectors.ts'
import {
  type CommandDefinition,
  type OptionsOf,
  readOptions,
  readSubcommand,
  type SubcommandsOf,
} from './commands.ts'
import type { ParamsOf } from './custom-ids.ts'
import type { Reply } from './reply.ts'
import type { InteractionState, Responder } from './responder.ts'
import type {
  ButtonInteraction,
  CommandInteraction,
  Message,
  MessageCommandInteraction,
  ResolvedEntities,
  SelectInteraction,
  User,
  UserCommandInteraction,
} from './types.ts'

/** The common part of all contexts. */
interface Context extends Waiting {
  /** The user who used the command or component. */
  readonly user: User
  readonly channelId: string
  /** Other API requests, for example to send a message or open a direct message. */
  readonly api: BotApi
  readonly state: InteractionState
  /** Aborts when the interaction no longer accepts a response. Pass it to long operations. */
  readonly signal: AbortSignal
  /**
   * Sends the response. After `defer`, replaces the placeholder. May be called once; then use `followUp` and
   * `edit`.
   */
  reply(message: string | Reply): Promise<Message>
  /** Defers the response: shows a placeholder and extends the deadline to 15 minutes. */
  defer(options?: { ephemeral?: boolean }): Promise<void>
  /** Edits the response, or the follow-up with the given id. */
  edit(message: string | Reply, messageId?: string): Promise<Message>
  /** Sends a follow-up message after the first response. */
  followUp(message: string | Reply): Promise<Message>
  /** Deletes the response, or the follow-up with the given id. */
  deleteReply(messageId?: string): Promise<void>
}

/** `Options` is `OptionsOf` a definition, and `Subcommand` the names of the group and subcommand. */
export interface CommandContext<
  Options = OptionsOf<CommandDefinition>,
  Subcommand extends string | undefined = string | undefined,
> extends Context {
  readonly type: 'command'
  readonly event: CommandInteraction
  readonly serverId: string
  readonly name: string
  /** The names of the group and subcommand, separated by a space. It decides the type of `options`. */
  readonly subcommand: Subcommand
  /** The options by name, typed by the definition. */
  readonly options: Options
}

/** The context of a command: one type for each of its subcommands, which `ctx.subcommand` tells apart. */
export type CommandContextOf<Definition extends CommandDefinition> = [
  keyof SubcommandsOf<Definition>,
] extends [never]
  ? CommandContext<OptionsOf<Definition>, undefined>
  : {
      [Name in keyof SubcommandsOf<Definition> & string]: CommandContext<
        SubcommandsOf<Definition>[Name],
        Name
      >
    }[keyof SubcommandsOf<Definition> & string]

/** A command in the menu of a user. */
export interface UserCommandContext extends Context {
  readonly type: 'userCommand'
  readonly event: UserCommandInteraction
  readonly serverId: string
  readonly name: string
  /** The user in whose menu the command was chosen. */
  readonly target: User
}

/** A command in the menu of a message. */
export interface MessageCommandContext extends Context {
  readonly type: 'messageCommand'
  readonly event: MessageCommandInteraction
  readonly serverId: string
  readonly name: string
  /** The message in whose menu the command was chosen, with its content. */
  readonly target: Message
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

export type AnyContext =
  | CommandContext
  | UserCommandContext
  | MessageCommandContext
  | ButtonContext
  | SelectContext

/** What the contexts of all commands have. `state` is not among them, because a spread would copy its value. */
function createCommandBase(
  event: CommandInteraction | UserCommandInteraction | MessageCommandInteraction,
  responder: Responder,
  api: BotApi,
) {
  const { user, channelId, serverId, data } = event
  return { ...createBaseContext(responder, api), user, channelId, serverId, name: data.name }
}

export function createUserCommandContext(
  event: UserCommandInteraction,
  responder: Responder,
  api: BotApi,
): UserCommandContext {
  return {
    ...createCommandBase(event, responder, api),
    get state() {
      return responder.state
    },
    type: 'userCommand',
    event,
    target: event.data.resolved.user,
  }
}

export function createMessageCommandContext(
  event: MessageCommandInteraction,
  responder: Responder,
  api: BotApi,
): MessageCommandContext {
  return {
    ...createCommandBase(event, responder, api),
    get state() {
      return responder.state
    },
    type: 'messageCommand',
    event,
    target: event.data.resolved.message,
  }
}

export function createCommandContext(
  event: CommandInteraction,
  responder: Responder,
  api: BotApi,
): CommandContext {
  return {
    ...createCommandBase(event, responder, api),
    get state() {
      return responder.state
    },
    type: 'command',
    event,
    subcommand: readSubcommand(event),
    options: readOptions(event),
  }
}

export function createButtonContext(
  event: ButtonInteraction,
  params: Readonly<Record<string, string>>,
  responder: Responder,
  api: BotApi,
): ButtonContext {
  return {
    ...createComponentContext(event, params, responder, api),
    get state() {
      return responder.state
    },
    type: 'button',
    event,
  }
}

export function createSelectContext(
  event: SelectInteraction,
  params: Readonly<Record<string, string>>,
  responder: Responder,
  api: BotApi,
): SelectContext {
  const { values, resolved = {} } = event.data
  return {
    ...createComponentContext(event, params, responder, api),
    get state() {
      return responder.state
    },
    type: 'select',
    event,
    values,
    resolved,
  }
}

function createComponentContext(
  event: ButtonInteraction | SelectInteraction,
  params: Readonly<Record<string, string>>,
  responder: Responder,
  api: BotApi,
) {
  return {
    ...createBaseContext(responder, api),
    user: event.user,
    channelId: event.channelId,
    serverId: event.serverId,
    customId: event.data.customId,
    params,
    message: event.message,
    update: responder.update,
    deferUpdate: responder.deferUpdate,
  }
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

function createBaseContext(responder: Responder, api: BotApi) {
  const { signal, reply, defer, edit, followUp, deleteReply } = responder
  return { api, signal, reply, defer, edit, followUp, deleteReply, ...responder.waiting }
}
