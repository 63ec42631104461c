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
import type { DispatchFailure, SendDispatch } from './dispatch.ts'
import { createDispatcher } from './dispatcher.ts'
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
export function createAutocomplete({
  send,
  ...deps
}: Pick<Deps, 'db' | 'clock' | 'timers' | 'ids' | 'bus' | 'nodes' | 'secretKey' | 'onError'> & {
  send: SendDispatch
}) {
  const { db, clock, ids, bus, secretKey } = deps
  const waits = new Map<string, Wait>()
  // Another session receives the event if its session closes (bots/interaction-delivery). No node takes it over,
  // because the user waits for this one, and nothing is recorded.
  const dispatcher = createDispatcher({
    ...deps,
    nodes: { ...deps.nodes, neighbour: () => undefined, onMessage: () => {} },
    send,
    isPending: async () => true,
    findApplication: async () => undefined,
    recordTimeout: async () => {},
    onEndpointFailure: async (id, failure) => fail(id, failure),
    background: createBackgroundTasks(deps.onError),
  })

  function fail(id: string, { cause }: DispatchFailure): void {
    if (cause !== undefined) deps.onError(cause)
    waits.get(id)?.result.reject(new AppError('interaction_not_answered', 'The bot did not respond.'))
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
    dispatcher.complete(wait.event.id)
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
      const deadline = new Date(deadlineAt).toISOString()
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
        deadlineAt: deadline,
        // The token is of no use after the deadline.
        expiresAt: deadline,
      }
      const wait: Wait = {
        event,
        tokenHash: hashSecret(token),
        option: focused,
        isAnswered: false,
        result: Promise.withResolvers(),
      }
      // The rejection may come before this function waits for it.
      wait.result.promise.catch(() => undefined)
      const responder = await bus.respond(subjectOf(event.id), async message =>
        isJsonObject(message) ? receive(wait, message as unknown as ResponseMessage) : { code: 'not_found' },
      )
      waits.set(event.id, wait)
      // The responder stays until the deadline, so that a bot that responds after the user has left gets no error.
      runAt(deps, deadlineAt, () => {
        responder.close()
        waits.delete(event.id)
        wait.result.reject(timedOut())
      })
      const leave = () => {
        dispatcher.complete(event.id)
        wait.result.resolve([])
      }
      signal.addEventListener('abort', leave, { once: true })
      void dispatcher.start({ event, application, deadlineAt }).then(failure => {
        if (failure) fail(event.id, failure)
      })
      return wait.result.promise
    },

    /** The response of the bot. Throws 400 for invalid choices, and 404, 409 or 410 unless a user waits for it. */
    async respond(bot: ResponseCredentials, choices: unknown): Promise<void> {
      const reply = await ask(bot, choices ?? null)
      if (reply.code === 'invalid') throw invalidAll(reply.errors)
      if (reply.code === 'answered') {
        throw new AppError('interaction_already_answered', 'The interaction already has its first response.')
      }
      if (reply.code === 'not_found') throw isIdOverdue(bot.id) ? timedOut() : notFound()
    },

    /** For a response of another type: throws 400 if a user waits for suggestions, and otherwise returns. */
    async assertNotWaiting(bot: ResponseCredentials): Promise<void> {
      if (await findResponder(bot)) {
        throw invalid('type', 'not_allowed', 'must be "autocomplete" for this interaction')
      }
    },

    findResponder,

    /** Ends all waits. */
    async close(): Promise<void> {
      const error = new AppError('unavailable', 'The service is stopping.')
      for (const { result } of waits.values()) result.reject(error)
      await dispatcher.close()
    },
  }
}

function timedOut(): AppError {
  return new AppError('interaction_timed_out', 'The interaction timed out.')
}
