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
  /** Aborts the request. */
  over?: AbortSignal
  /** Failed requests are retried until this signal aborts. Without it there is no retry. */
  due?: AbortSignal
}

/** The requests that respond to an interaction. Implemented by the REST client and by the test service. */
export interface InteractionApi {
  callback(event: InteractionEvent, body: CallbackBody, signals?: CallbackSignals): Promise<Message | null>
  followUp(event: InteractionEvent, data: ResponseData): Promise<Message>
  /** `message` is `original` or the id of a follow-up. */
  edit(event: InteractionEvent, message: string, data: ResponseData): Promise<Message>
  delete(event: InteractionEvent, message: string): Promise<void>
}

/** The API requests of a bot. */
export interface BotApi extends InteractionApi {
  gatewayUrl(signal?: AbortSignal): Promise<string>
  /** The registered commands of one server, or the global ones. */
  commands(serverId?: string): Promise<RegisteredCommand[]>
  /** Replaces all commands of the server, or all global ones. */
  putCommands(commands: readonly CommandDefinition[], serverId?: string): Promise<RegisteredCommand[]>
  sendMessage(channelId: string, answer: string | Answer): Promise<Message>
  editMessage(channelId: string, messageId: string, answer: string | Answer): Promise<Message>
  deleteMessage(channelId: string, messageId: string): Promise<void>
  /** Opens the direct message channel with a user who shares a server with the bot. */
  openDirectMessage(userId: string): Promise<Channel>
}

// Short, because a service that restarts is usually reachable again within the 3 seconds of the deadline.
const callbackRetryMs = 150

/** Response bodies are not validated: their types follow from the API. */
export function createApi(rest: Rest, timers: Timers): BotApi {
  const urlOf = (event: InteractionEvent) => `/api/interactions/${event.id}/${event.token}`
  const messageOf = (event: InteractionEvent, message: string) =>
    message === 'original' ? `${urlOf(event)}/original` : `${urlOf(event)}/followup/${message}`
  const commandsOf = (serverId?: string) =>
    `/api/applications/@me/${serverId === undefined ? '' : `servers/${serverId}/`}commands`

  /** Reads the first response from the service. Throws `conflict` if there is none. */
  async function findOriginal(
    event: InteractionEvent,
    { type }: CallbackBody,
    conflict: AlreadyAnsweredError,
  ) {
    if (type === 'deferred_update') return null
    try {
      const path = messageOf(event, 'original')
      return (await rest({ method: 'GET', path, name: 'GET response' })).body as Message
    } catch (error) {
      throw error instanceof ApiError ? conflict : error
    }
  }

  return {
    async callback(event, body, { over, due } = {}) {
      for (let tries = 1; ; tries++) {
        try {
          const { body: answer } = await rest({
            method: 'POST',
            path: `${urlOf(event)}/callback`,
            name: 'POST callback',
            body,
            ...(over ? { signal: over } : {}),
          })
          return (answer as { message: Message | null }).message
        } catch (error) {
          // The service had processed an earlier attempt whose response was lost.
          if (tries > 1 && error instanceof AlreadyAnsweredError) return findOriginal(event, body, error)
          if (!isDeliveryFailure(error) || !due || due.aborted) throw error
          await wait(timers, callbackRetryMs, due).catch(() => {
            throw error
          })
        }
      }
    },
    async followUp(event, body) {
      const path = `${urlOf(event)}/followup`
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

/**
 * Whether the service may not have processed the request. A proxy returns 502 or 504 if the service is
 * unreachable.
 */
function isDeliveryFailure(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 502 || error.status === 504
  return error instanceof UnreachableError
}
