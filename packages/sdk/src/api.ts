import { type Answer, toData } from './answers.ts'
import { type Timers, wait } from './clock.ts'
import { type CommandDefinition, toRegistration } from './commands.ts'
import { AlreadyAnsweredError, ApiError, UnreachableError } from './errors.ts'
import type { Rest } from './rest.ts'
import type {
  CallbackBody,
  Channel,
  InteractionEvent,
  Message,
  RegisteredCommand,
  ResponseData,
} from './types.ts'

export interface CallbackSignals {
  /** Ends the request. */
  over?: AbortSignal
  /** Until it is aborted, what did not get through is tried again; without it, once is all. */
  due?: AbortSignal
}

/** The responses to one interaction: what a context needs of the service, or of a test. */
export interface InteractionApi {
  callback(event: InteractionEvent, body: CallbackBody, signals?: CallbackSignals): Promise<Message | null>
  followUp(event: InteractionEvent, data: ResponseData): Promise<Message>
  /** `message` is `original` or the id of a follow-up. */
  edit(event: InteractionEvent, message: string, data: ResponseData): Promise<Message>
  delete(event: InteractionEvent, message: string): Promise<void>
}

/** What else a bot may ask of the service. */
export interface BotApi extends InteractionApi {
  gatewayUrl(signal?: AbortSignal): Promise<string>
  /** The registered set: of one server, or global. */
  commands(serverId?: string): Promise<RegisteredCommand[]>
  /** Replaces the set. */
  putCommands(commands: readonly CommandDefinition[], serverId?: string): Promise<RegisteredCommand[]>
  sendMessage(channelId: string, answer: string | Answer): Promise<Message>
  editMessage(channelId: string, messageId: string, answer: string | Answer): Promise<Message>
  deleteMessage(channelId: string, messageId: string): Promise<void>
  /** The direct messages with a person who shares a server with the bot. */
  openDirectMessage(userId: string): Promise<Channel>
}

// A service that restarts is back within the three seconds.
const callbackRetryMs = 150

/** The answers are a parse edge: the contract says what comes. */
export function createApi(rest: Rest, timers: Timers): BotApi {
  const of = (event: InteractionEvent) => `/api/interactions/${event.id}/${event.token}`
  const messageOf = (event: InteractionEvent, message: string) =>
    message === 'original' ? `${of(event)}/original` : `${of(event)}/followup/${message}`
  const commandsOf = (serverId?: string) =>
    `/api/applications/@me/${serverId === undefined ? '' : `servers/${serverId}/`}commands`

  /** The first response that the service has; `refusal` where there is none to be had. */
  async function standing(event: InteractionEvent, { type }: CallbackBody, refusal: AlreadyAnsweredError) {
    if (type === 'deferred_update') return null
    try {
      const path = messageOf(event, 'original')
      return (await rest({ method: 'GET', path, name: 'GET response' })).body as Message
    } catch (error) {
      throw error instanceof ApiError ? refusal : error
    }
  }

  return {
    async callback(event, body, { over, due } = {}) {
      for (let tries = 1; ; tries++) {
        try {
          const { body: answer } = await rest({
            method: 'POST',
            path: `${of(event)}/callback`,
            name: 'POST callback',
            body,
            ...(over ? { signal: over } : {}),
          })
          return (answer as { message: Message | null }).message
        } catch (error) {
          // The try that broke off got through after all.
          if (tries > 1 && error instanceof AlreadyAnsweredError) return standing(event, body, error)
          if (!mayHaveMissed(error) || !due || due.aborted) throw error
          await wait(timers, callbackRetryMs, due).catch(() => {
            throw error
          })
        }
      }
    },
    async followUp(event, body) {
      const path = `${of(event)}/followup`
      return (await rest({ method: 'POST', path, name: 'POST followup', body })).body as Message
    },
    async edit(event, message, body) {
      const path = messageOf(event, message)
      return (await rest({ method: 'PATCH', path, name: 'PATCH response', body })).body as Message
    },
    async delete(event, message) {
      await rest({ method: 'DELETE', path: messageOf(event, message), name: 'DELETE response' })
    },
    async gatewayUrl(signal) {
      const { body } = await rest({
        method: 'GET',
        path: '/api/gateway',
        name: 'GET gateway',
        ...(signal ? { signal } : {}),
      })
      return (body as { url: string }).url
    },
    async commands(serverId) {
      const path = commandsOf(serverId)
      return (await rest({ method: 'GET', path, name: 'GET commands' })).body as RegisteredCommand[]
    },
    async putCommands(commands, serverId) {
      const path = commandsOf(serverId)
      const body = commands.map(toRegistration)
      return (await rest({ method: 'PUT', path, name: 'PUT commands', body })).body as RegisteredCommand[]
    },
    async sendMessage(channelId, answer) {
      const path = `/api/channels/${channelId}/messages`
      const body = toData(answer)
      return (await rest({ method: 'POST', path, name: 'POST message', body })).body as Message
    },
    async editMessage(channelId, messageId, answer) {
      const path = `/api/channels/${channelId}/messages/${messageId}`
      const body = toData(answer)
      return (await rest({ method: 'PATCH', path, name: 'PATCH message', body })).body as Message
    },
    async deleteMessage(channelId, messageId) {
      const path = `/api/channels/${channelId}/messages/${messageId}`
      await rest({ method: 'DELETE', path, name: 'DELETE message' })
    },
    async openDirectMessage(userId) {
      const path = '/api/users/@me/channels'
      const body = { recipientId: userId }
      return (await rest({ method: 'POST', path, name: 'POST channel', body })).body as Channel
    },
  }
}

/** A proxy says 502 or 504 where the service behind it is not there or broke off. */
function mayHaveMissed(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 502 || error.status === 504
  return error instanceof UnreachableError
}
