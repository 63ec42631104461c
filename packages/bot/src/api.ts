import { type OperationId, type PathParameters, requestLine } from '@gatehouse/protocol/endpoints'
import { type Timers, wait } from './clock.ts'
import { type AnyCommandDefinition, toRegistration } from './commands.ts'
import { AlreadyAnsweredError, ApiError, UnreachableError } from './errors.ts'
import { callOperation, createResources } from './operations.ts'
import { allRequests } from './rate-limits.ts'
import type { MessageData } from './reply.ts'
import type { NewMessage, Resources } from './resources.ts'
import type { Rest, RestRequest } from './rest.ts'
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
  request?: AbortSignal
  /** Failed requests are retried until this signal aborts. Without it there is no retry. */
  retry?: AbortSignal
}

/** The requests that respond to an interaction. Implemented by the REST client and by the test service. */
export interface InteractionApi {
  callback(event: InteractionEvent, body: CallbackBody, signals?: CallbackSignals): Promise<Message | null>
  followUp(event: InteractionEvent, data: ResponseData): Promise<Message>
  /** `messageId` is `original` or the id of a follow-up. */
  edit(event: InteractionEvent, messageId: string, data: ResponseData): Promise<Message>
  delete(event: InteractionEvent, messageId: string): Promise<void>
}

/** The API requests of a bot. */
export interface BotApi extends InteractionApi, Resources {
  /** The same functions, whose acts have this reason in the audit log: up to 512 characters. */
  withReason(reason: string): Resources
  gatewayUrl(signal?: AbortSignal): Promise<string>
  /** The registered commands of one server, or the global ones. */
  commands(serverId?: string): Promise<RegisteredCommand[]>
  /** Replaces all commands of the server, or all global ones. */
  putCommands(commands: readonly AnyCommandDefinition[], serverId?: string): Promise<RegisteredCommand[]>
  /** Short for `messages.create`, `messages.update` and `messages.delete`. */
  sendMessage(channelId: string, message: NewMessage): Promise<Message>
  editMessage(channelId: string, messageId: string, message: MessageData): Promise<Message>
  deleteMessage(channelId: string, messageId: string): Promise<void>
  /** Opens the direct message channel with a user who shares a server with the bot. */
  openDirectMessage(userId: string): Promise<Channel>
}

// Short, because a service that restarts is usually reachable again within the 3 seconds of the deadline.
const callbackRetryMs = 150

/** Whether the response of the service has a message (bots/callback-response). */
const hasMessage: Readonly<Record<CallbackBody['type'], boolean>> = {
  message: true,
  defer: true,
  update: true,
  deferred_update: false,
  modal: false,
  autocomplete: false,
}

export function createApi(rest: Rest, timers: Timers): BotApi {
  /** Response bodies are not validated: their types follow from the API. */
  async function send<Id extends OperationId>(
    id: Id,
    parameters: PathParameters<Id>,
    request: Omit<RestRequest, 'method' | 'path'>,
  ): Promise<unknown> {
    return (await rest({ ...requestLine(id, parameters), ...request })).body
  }

  /** Reads the first response from the service. Throws `conflict` if there is none. */
  async function findOriginal(
    event: InteractionEvent,
    { type }: CallbackBody,
    conflict: AlreadyAnsweredError,
  ) {
    if (!hasMessage[type]) return null
    try {
      return (await send('getOriginalResponse', event, { name: 'GET response' })) as Message
    } catch (error) {
      throw error instanceof ApiError ? conflict : error
    }
  }

  const withReason = (reason?: string) =>
    createResources((_, operation, args) => callOperation(rest, operation, args, reason))
  const resources = withReason()

  return {
    ...resources,
    withReason,
    async callback(event, body, signals = {}) {
      for (let attempt = 1; ; attempt++) {
        try {
          const response = await send('createCallback', event, {
            name: 'POST callback',
            body,
            ...(signals.request ? { signal: signals.request } : {}),
          })
          return (response as { message: Message | null }).message
        } catch (error) {
          // The service had processed an earlier attempt whose response was lost.
          if (attempt > 1 && error instanceof AlreadyAnsweredError) return findOriginal(event, body, error)
          if (!isDeliveryFailure(error) || !signals.retry || signals.retry.aborted) throw error
          await wait(timers, callbackRetryMs, signals.retry).catch(() => {
            throw error
          })
        }
      }
    },
    async followUp(event, body) {
      return (await send('createFollowup', event, { name: 'POST followup', body })) as Message
    },
    async edit(event, messageId, body) {
      const id = messageId === 'original' ? 'updateOriginalResponse' : 'updateFollowup'
      return (await send(id, { ...event, messageId }, { name: 'PATCH response', body })) as Message
    },
    async delete(event, messageId) {
      const id = messageId === 'original' ? 'deleteOriginalResponse' : 'deleteFollowup'
      await send(id, { ...event, messageId }, { name: 'DELETE response' })
    },
    async gatewayUrl(signal) {
      const body = await send('getGateway', {}, { name: 'GET gateway', ...(signal ? { signal } : {}) })
      return (body as { url: string }).url
    },
    async commands(serverId) {
      const request = { name: 'GET commands', buckets: [allRequests] }
      const commands =
        serverId === undefined
          ? send('listCommands', {}, request)
          : send('listServerCommands', { serverId }, request)
      return (await commands) as RegisteredCommand[]
    },
    async putCommands(commands, serverId) {
      const body = commands.map(toRegistration)
      const request = { name: 'PUT commands', body, buckets: [allRequests] }
      const replaced =
        serverId === undefined
          ? send('replaceCommands', {}, request)
          : send('replaceServerCommands', { serverId }, request)
      return (await replaced) as RegisteredCommand[]
    },
    sendMessage: resources.messages.create,
    editMessage: resources.messages.update,
    deleteMessage: resources.messages.delete,
    openDirectMessage: recipientId => resources.directMessages.open({ recipientId }),
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
