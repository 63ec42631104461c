import { type Choice, checkChoices, type Option } from '@gatehouse/protocol/commands'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type { AutocompleteBody, AutocompleteInteraction } from '@gatehouse/protocol/interactions'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { findUser } from '../accounts/users/index.ts'
import { findBotTokenHash } from '../applications/index.ts'
import { NoResponders } from '../bus/bus.ts'
import { findChannelAccess } from '../community/permissions/index.ts'
import { AppError, type FieldError, invalid, invalidAll, notFound } from '../errors/app-error.ts'
import { createBackgroundTasks } from '../kit/background.ts'
import { runAt } from '../kit/clock.ts'
import { createSecret, hashSecret, secretPrefixes } from '../kit/secret.ts'
import { snowflakeToTimestamp } from '../kit/snowflake.ts'
import { requireUsableCommand, resolveOptions } from './command-use.ts'
import { deadlinesOf, isOverdue } from './deadline.ts'
import {
  type Deliver,
  type Dispatch,
  type DispatchFailure,
  deliveryOf,
  type SendDispatch,
} from './dispatch.ts'
import type { EndpointDispatch } from './endpoint-dispatch.ts'
import type { Deps } from './interaction-deps.ts'
import { toInteractionUser } from './interaction-use.ts'
import { isOfApplication, type Responder, type ResponseCredentials } from './response-context.ts'
import { type GivenToken, isTokenOf } from './response-token.ts'

/** A user waits for the suggestions of a bot. */
interface Wait {
  event: AutocompleteInteraction
  tokenHash: string
  option: Option
  isAnswered: boolean
  result: PromiseWithResolvers<Choice[]>
}

/** The request of the node that the bot responds to. Without `choices` it asks whether there is a wait. */
interface ResponseMessage extends GivenToken {
  applicationId: string | undefined
  choices?: unknown
}

type Reply =
  | { code: 'ok' | 'answered'; applicationId: string }
  | { code: 'not_found' }
  | { code: 'invalid'; errors: FieldError[] }

const subjectOf = (id: string) => `autocomplete.${id}`

// The node of the wait replies from its memory.
const replyMs = 1000

export type Autocomplete = ReturnType<typeof createAutocomplete>

/**
 * Suggestions for an option while the user types (bots/autocomplete). Nothing is stored: the node that the user asked
 * waits, and the node that the bot responds to finds it by a subject of the bus.
 */
export function createAutocomplete(
  deps: Pick<Deps, 'db' | 'clock' | 'timers' | 'ids' | 'bus' | 'secretKey' | 'onError'> & {
    deliver: Deliver
    sendToGateway: SendDispatch
    endpoint: EndpointDispatch
  },
) {
  const { db, clock, ids, bus, secretKey, deliver, sendToGateway, endpoint, onError } = deps
  /** Of the waits, each with the error for the user. */
  const ends = new Set<(error: AppError) => void>()
  const background = createBackgroundTasks(onError)

  /** The event waits for a session only if one has had it: the bot may resume. */
  async function sendToSessions(dispatch: Dispatch, wait: Wait, signal: AbortSignal): Promise<void> {
    let wasSent = false
    for await (const result of deliver(dispatch, { send: sendToGateway, signal })) {
      if (result.kind === 'failed' && !wasSent) return fail(wait, result)
      wasSent = true
    }
  }

  async function callEndpoint(dispatch: Dispatch, wait: Wait): Promise<void> {
    const { applicationId, id, token } = dispatch.event
    try {
      const result = await endpoint.send(dispatch)
      if (result.kind === 'unconfirmed' || result.response === undefined) return
      if (result.response.type !== 'autocomplete') throw wrongType()
      await respond({ applicationId, id, token }, result.response.data.choices)
    } catch (error) {
      const failure = endpoint.toFailure(dispatch, error)
      if (failure) fail(wait, failure)
    }
  }

  function fail({ result }: Wait, { cause }: DispatchFailure): void {
    if (cause !== undefined) onError(cause)
    result.reject(new AppError('interaction_not_answered', 'The bot did not respond.'))
  }

  /** The reply to a response of the bot. Anything but the token of this wait gets the same reply as an unknown id. */
  async function receive(wait: Wait, { choices: given, ...response }: ResponseMessage): Promise<Reply> {
    const { tokenHash, event } = wait
    // Without `Authorization`, nobody has checked the application.
    const botTokenHash =
      response.format === 'discord' ? await findBotTokenHash(db, event.applicationId) : null
    const isOwn = isTokenOf(secretKey, response, { id: event.id, tokenHash, botTokenHash })
    if (!isOwn || !isOfApplication(response, event)) return { code: 'not_found' }
    const { applicationId } = event
    if (wait.isAnswered) return { code: 'answered', applicationId }
    if (given === undefined) return { code: 'ok', applicationId }
    const { choices, violations } = checkChoices(given, wait.option.type)
    if (violations.length > 0) return { code: 'invalid', errors: toFieldErrors(violations, 'data') }
    wait.isAnswered = true
    wait.result.resolve(choices)
    return { code: 'ok', applicationId }
  }

  async function ask({ id, token, ...credentials }: ResponseCredentials, choices?: unknown): Promise<Reply> {
    const response: ResponseMessage = {
      ...credentials,
      tokenHash: hashSecret(token),
      ...(choices === undefined ? {} : { choices }),
    }
    try {
      return (await bus.request(subjectOf(id), response, replyMs)) as Reply
    } catch (error) {
      if (error instanceof NoResponders) return { code: 'not_found' }
      throw error
    }
  }

  /** Undefined unless the token is that of a user who waits or has waited for suggestions. */
  async function findResponder(bot: ResponseCredentials): Promise<Responder | undefined> {
    const reply = isIdOverdue(bot.id) ? undefined : await ask(bot)
    if (reply === undefined || !('applicationId' in reply)) return undefined
    return { applicationId: reply.applicationId, acceptsCallback: reply.code === 'ok' }
  }

  /** The response of the bot. Throws 400 for invalid choices, and 404, 409 or 410 unless a user waits for it. */
  async function respond(bot: ResponseCredentials, choices: unknown): Promise<void> {
    const reply = await ask(bot, choices ?? null)
    if (reply.code === 'invalid') throw invalidAll(reply.errors)
    if (reply.code === 'answered') {
      throw new AppError('interaction_already_answered', 'The interaction already has its first response.')
    }
    if (reply.code === 'not_found') throw isIdOverdue(bot.id) ? timedOut() : notFound()
  }

  const isIdOverdue = (id: string) => isOverdue(deadlinesOf(snowflakeToTimestamp(id)), clock())

  return {
    /** Resolves to the choices of the bot. `signal` aborts if the user no longer waits. */
    async request(userId: string, body: AutocompleteBody, signal: AbortSignal): Promise<Choice[]> {
      const createdAt = clock()
      const { channelId, commandId } = body
      const [user, access] = await Promise.all([
        findUser(db, userId),
        findChannelAccess(db, createdAt, userId, channelId),
      ])
      if (!user || !access) throw notFound()
      const usable = await requireUsableCommand(db, commandId, { userId, access })
      const { command, application, serverId } = usable
      const { data, focused } = await resolveOptions(deps, usable, { userId, channelId }, body)
      if (!focused) throw notFound()
      if (signal.aborted) return []
      const token = createSecret(secretPrefixes.interactionToken)
      const { deadlineAt } = deadlinesOf(createdAt)
      const isoDeadline = new Date(deadlineAt).toISOString()
      const event: AutocompleteInteraction = {
        version: 1,
        id: ids(),
        token,
        type: 'autocomplete',
        applicationId: application.id,
        channelId,
        serverId,
        user: toInteractionUser(user),
        data: { id: command.id, name: command.name, ...data },
        createdAt: new Date(createdAt).toISOString(),
        deadlineAt: isoDeadline,
        // The token is of no use after the deadline.
        expiresAt: isoDeadline,
      }
      const result = Promise.withResolvers<Choice[]>()
      const wait: Wait = { event, tokenHash: hashSecret(token), option: focused, isAnswered: false, result }
      const responder = await bus.respond(subjectOf(event.id), async message =>
        isJsonObject(message) ? receive(wait, message as unknown as ResponseMessage) : { code: 'not_found' },
      )
      const end = (error: AppError) => {
        responder.close()
        deadline.cancel()
        ends.delete(end)
        result.reject(error)
      }
      ends.add(end)
      // The responder stays until the deadline, so that a bot that responds after the user has left gets no error.
      const deadline = runAt(deps, deadlineAt, () => end(timedOut()))
      signal.addEventListener('abort', () => result.resolve([]), { once: true })
      const delivery = new AbortController()
      const endDelivery = () => delivery.abort()
      result.promise.then(endDelivery, endDelivery)
      const dispatch = { event, application, deadlineAt }
      background.run(() =>
        deliveryOf(application) === 'endpoint'
          ? callEndpoint(dispatch, wait)
          : sendToSessions(dispatch, wait, delivery.signal),
      )
      return result.promise
    },

    respond,

    /** For a response of another type: throws 400 if a user waits for suggestions, and otherwise returns. */
    async assertNotWaiting(bot: ResponseCredentials): Promise<void> {
      if (await findResponder(bot)) throw wrongType()
    },

    findResponder,

    /** Ends all waits. */
    async close(): Promise<void> {
      const error = new AppError('unavailable', 'The service is stopping.')
      for (const end of ends) end(error)
      await background.idle()
    },
  }
}

function wrongType(): AppError {
  return invalid('type', 'not_allowed', 'must be "autocomplete" for this interaction')
}

function timedOut(): AppError {
  return new AppError('interaction_timed_out', 'The interaction timed out.')
}
