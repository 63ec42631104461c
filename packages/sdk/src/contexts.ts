import type { Reply } from './answers.ts'
import type { BotApi } from './api.ts'
import { type CommandDefinition, type OptionsOf, readOptions } from './commands.ts'
import type { ParamsOf } from './custom-ids.ts'
import type { InteractionState, Responder } from './responder.ts'
import type { ButtonInteraction, CommandInteraction, Message, User } from './types.ts'

/** What commands and buttons have in common. */
interface Context {
  /** Who used the command or pressed the button. */
  readonly user: User
  readonly channelId: string
  /** The bot's other doors to the service: send a message, open a direct message. */
  readonly api: BotApi
  readonly state: InteractionState
  /** Aborted when no answer can be given any more. Hand it to what takes long. */
  readonly signal: AbortSignal
  /** Answers. After `defer`, takes the place of the placeholder. Once; then `followUp` and `edit`. */
  reply(answer: string | Reply): Promise<Message>
  /** Shows that the bot is at work, and gives it 15 minutes. */
  defer(options?: { ephemeral?: boolean }): Promise<void>
  /** Changes the answer, or the follow-up of that id. */
  edit(answer: string | Reply, messageId?: string): Promise<Message>
  /** Another message, after an answer. */
  followUp(answer: string | Reply): Promise<Message>
  /** Deletes the answer, or the follow-up of that id. */
  deleteReply(messageId?: string): Promise<void>
}

/** `Options` is `OptionsOf` a definition. */
export interface CommandContext<Options = OptionsOf<CommandDefinition>> extends Context {
  readonly type: 'command'
  readonly event: CommandInteraction
  readonly serverId: string
  readonly name: string
  /** By name, as the definition types them. */
  readonly options: Options
}

/** `Params` is `ParamsOf` a pattern. */
export interface ButtonContext<Params = ParamsOf<string>> extends Context {
  readonly type: 'button'
  readonly event: ButtonInteraction
  /** Null in a direct message. */
  readonly serverId: string | null
  readonly customId: string
  /** The parameters of the pattern. */
  readonly params: Params
  /** The message under which the button stands. */
  readonly message: ButtonInteraction['message']
  /** Changes the message under which the button stands. */
  update(answer: string | Reply): Promise<Message>
  /** Takes note of the press; `update` can follow within 15 minutes. */
  deferUpdate(): Promise<void>
}

export type AnyContext = CommandContext | ButtonContext

export function createCommandContext(
  event: CommandInteraction,
  responder: Responder,
  api: BotApi,
): CommandContext {
  return {
    ...shared(responder, api),
    get state() {
      return responder.state
    },
    type: 'command',
    event,
    user: event.user,
    channelId: event.channelId,
    serverId: event.serverId,
    name: event.data.name,
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
    ...shared(responder, api),
    get state() {
      return responder.state
    },
    type: 'button',
    event,
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
): CommandContext<OptionsOf<Definition>> {
  return Object.assign(ctx, { options: readOptions<Definition>(ctx.event) })
}

/** The same context, with its parameters typed by the pattern that its customId matched. */
export function typeParams<Pattern extends string>(ctx: ButtonContext): ButtonContext<ParamsOf<Pattern>> {
  // A parse edge: the pattern's matcher has read exactly its names.
  return Object.assign(ctx, { params: ctx.params as ParamsOf<Pattern> })
}

function shared(responder: Responder, api: BotApi) {
  const { signal, reply, defer, edit, followUp, deleteReply } = responder
  return { api, signal, reply, defer, edit, followUp, deleteReply }
}
