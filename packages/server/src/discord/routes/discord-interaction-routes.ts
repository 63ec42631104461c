import { isId } from '@gatehouse/protocol/ids'
import { ResponseData } from '@gatehouse/protocol/interactions'
import { type Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import type {
  RESTAPIInteractionCallbackObject,
  RESTAPIInteractionCallbackResourceObject,
  RESTPostAPIInteractionCallbackWithResponseResult,
} from 'discord-api-types/v10'
import { notFound } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import type { InteractionsApi, ResponseCredentials } from '../../interactions/index.ts'
import { readDiscordBody } from '../../webhooks/index.ts'
import type { Unknown } from '../api-errors.ts'
import { type ApiRequest, route } from '../api-route.ts'
import type { InteractionGuard } from '../interaction-credentials.ts'
import { fromDiscordCallback, parseNative } from '../objects/discord-callback.ts'
import {
  type DiscordMessage,
  fromDiscordMessage,
  interactionTypes,
  isEphemeralRequest,
  type MessageFormatDeps,
  readMessageReferences,
  toDiscordMessage,
} from '../objects/message-format.ts'
import type { OptionalMembers, Whole } from '../objects/whole.ts'
import { requirePathIds } from '../request-members.ts'

export interface InteractionRouteDeps extends MessageFormatDeps {
  interactions: InteractionsApi
  guard: InteractionGuard
}

type DiscordCallback = Whole<
  RESTPostAPIInteractionCallbackWithResponseResult,
  never,
  {
    interaction: Whole<RESTAPIInteractionCallbackObject, OptionalMembers['callback']>
    resource: Whole<
      RESTAPIInteractionCallbackResourceObject,
      OptionalMembers['callbackResource'],
      { message?: DiscordMessage }
    >
  }
>

type Request = ApiRequest<{ anonymous: true }>

/** The name of the original response in a path. */
const original = '@original'

export function discordInteractionRoutes({ interactions, guard, ...deps }: InteractionRouteDeps): Route[] {
  const { callback, createFollowup, responses } = interactions

  const format = async (message: Message): Promise<DiscordMessage> =>
    toDiscordMessage(message, await readMessageReferences(deps, message))

  function responseRoute(
    methodAndPath: Parameters<typeof route>[0],
    summary: string,
    missing: Unknown,
    operation: (request: Request, credentials: ResponseCredentials) => Promise<unknown>,
  ): Route {
    return route(methodAndPath, {
      summary,
      caller: { anonymous: true },
      missing,
      bodyTypes: ['any'],
      exemptFromRequestRate: true,
      beforeBody: guard.checkBeforeBody,
      handle: request => guard.run(request, credentials => operation(request, credentials)),
    })
  }

  /** With `with_response=true`: what the response created or edited. */
  async function describeCallback(
    id: string,
    type: number,
    message: Message | null,
  ): Promise<DiscordCallback> {
    const used = await interactions.findType(id)
    const common = {
      id,
      type: used === undefined ? 4 : interactionTypes[used],
      response_message_loading: message?.state === 'deferred',
      response_message_ephemeral: message?.ephemeral === true,
    }
    if (message === null) return { interaction: common, resource: { type } }
    const resource = { type, message: await format(message) }
    return { interaction: { ...common, response_message_id: message.id }, resource }
  }

  const base = '/webhooks/:applicationId/:token' as const
  function withId(credentials: ResponseCredentials, { messageId = original }: Request['params']) {
    if (messageId === original) return credentials
    requirePathIds({ messageId })
    if (!isId(messageId)) throw notFound()
    return { ...credentials, messageId }
  }

  return [
    responseRoute(
      'POST /interactions/:interactionId/:token/callback',
      'Sends the first response to an interaction.',
      'interaction',
      async ({ request, body, query }, credentials) => {
        const response = readDiscordBody(request, body)
        const message = await callback(credentials, fromDiscordCallback(response))
        return query.with_response === 'true' || query.with_response === '1'
          ? describeCallback(credentials.id, Number(response.type), message)
          : undefined
      },
    ),
    responseRoute(
      `POST ${base}`,
      'Sends a follow-up message.',
      'webhook',
      async ({ request, body }, credentials) => {
        const given = readDiscordBody(request, body)
        const ephemeral = isEphemeralRequest(given) ? { ephemeral: true } : {}
        const data = parseNative(ResponseData, { ...fromDiscordMessage(given), ...ephemeral })
        return format(await createFollowup(credentials, data))
      },
    ),
    responseRoute(
      `GET ${base}/messages/:messageId`,
      'Returns a response.',
      'message',
      async ({ params }, credentials) => format(await responses.read(withId(credentials, params))),
    ),
    responseRoute(
      `PATCH ${base}/messages/:messageId`,
      'Edits a response.',
      'message',
      async ({ request, params, body }, credentials) => {
        const changes = parseNative(UpdateMessageBody, fromDiscordMessage(readDiscordBody(request, body)))
        return format(await responses.edit(withId(credentials, params), changes))
      },
    ),
    responseRoute(
      `DELETE ${base}/messages/:messageId`,
      'Deletes a response.',
      'message',
      async ({ params }, credentials) => responses.delete(withId(credentials, params)),
    ),
  ]
}
