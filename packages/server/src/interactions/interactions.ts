import { type Component, isSelect } from '@gatehouse/protocol/components'
import type {
  CommandInteraction,
  ComponentInteraction,
  InteractionCreate,
  InteractionLogEntry,
  InteractionStatus,
  ModalSubmitInteraction,
  RunInteractionBody,
  RunInteractionResponse,
} from '@gatehouse/protocol/interactions'
import type { InteractionUser } from '@gatehouse/protocol/users'
import { type ApplicationRecord, findByBotUser, ownApplication } from '../applications/index.ts'
import { BusUnavailable } from '../bus/bus.ts'
import { AppError, invalid, notFound } from '../kit/app-error.ts'
import { createSecret, hashSecret, secretPrefixes } from '../kit/secret.ts'
import { valueOrThrow } from '../kit/settled.ts'
import { timestampToSnowflake } from '../kit/snowflake.ts'
import { isMember, lockMember } from '../platform/members/index.ts'
import { requireChannel, requireNoMemberTimeOut } from '../platform/permissions/index.ts'
import { findUser, userView } from '../platform/users/index.ts'
import type { Transaction } from '../storage/database.ts'
import { requireBotInChannel } from './channel-bot.ts'
import { validateUsedOptions } from './commands.ts'
import { findComponentMessage } from './components.ts'
import { deadlinesOf, isOverdue, newestExpired } from './deadline.ts'
import type { Dispatch, Dispatcher, DispatchResult } from './dispatch.ts'
import * as store from './interactions-store.ts'
import { resolveModalSubmit } from './modals.ts'
import type { ResponseDeps } from './response-context.ts'
import { resolveSelect } from './select-values.ts'
import { reasonText, statusAt, toPublicStatus } from './status.ts'
import { resolveTarget } from './targets.ts'

/** Autocomplete is not stored. */
type DispatchedEvent = Exclude<InteractionCreate, { type: 'autocomplete' }>

export interface InteractionDeps extends ResponseDeps {
  /** The dispatcher, or that of a trial, which returns the delivery `console` (`try.ts`). */
  dispatcher: {
    deliveryOf(application: ApplicationRecord): store.InteractionRecord['delivery']
    start(dispatch: Dispatch): Promise<DispatchResult>
  }
}

/** A valid request: what its command, component or modal adds to the interaction. */
type ResolvedRequest = {
  application: ApplicationRecord
  serverId: string | null
  name: string
  sourceMessage?: store.MessageRef | undefined
  /** Of a submitted modal: the interaction whose response opened it. */
  openedBy?: string
} & (
  | Pick<CommandInteraction, 'type' | 'data'>
  | Pick<ComponentInteraction, 'type' | 'data' | 'message'>
  | (Pick<ModalSubmitInteraction, 'type' | 'data'> & { message: ModalSubmitInteraction['message'] })
)

/**
 * Runs a command, uses a component or submits a modal. The request is validated before the bot is called. With an
 * interactions endpoint, it resolves immediately; with the gateway, when a session has received the event or none accepts it. If
 * a node does not confirm the event, it resolves at the latest at the deadline. A repeated nonce returns the existing
 * interaction, even if the request is invalid now. Throws BusUnavailable if the bus is down; the interaction has failed then.
 */
export async function createInteraction(
  deps: InteractionDeps,
  userId: string,
  request: RunInteractionBody,
): Promise<RunInteractionResponse> {
  const { db, clock } = deps
  const { channelId, nonce } = request
  // For speed: all are sent to PostgreSQL at once. The errors are thrown in the order of the checks.
  const [existing, found, resolved] = await Promise.allSettled([
    nonce === undefined ? undefined : store.findInteractionByNonce(db, { userId, channelId, nonce }),
    findUser(db, userId),
    resolveRequest(deps, userId, request),
  ])
  const repeated = valueOrThrow(existing)
  if (repeated) return toRunInteractionResponse(repeated, clock())
  const record = valueOrThrow(found)
  if (!record) throw notFound()
  const { bot: _, ...user } = userView(record)
  return insertAndDispatch(deps, request, user, valueOrThrow(resolved))
}

async function resolveRequest(
  deps: InteractionDeps,
  userId: string,
  request: RunInteractionBody,
): Promise<ResolvedRequest> {
  switch (request.type) {
    case 'command':
      return resolveCommand(deps, userId, request)
    case 'component':
      return resolveComponent(deps, userId, request)
    case 'modal_submit': {
      const { type, interactionId: openedBy } = request
      return { type, openedBy, ...(await resolveModalSubmit(deps, userId, request)) }
    }
  }
}

async function resolveCommand(
  deps: InteractionDeps,
  userId: string,
  { channelId, commandId, options: given = [], targetId }: Extract<RunInteractionBody, { type: 'command' }>,
): Promise<ResolvedRequest> {
  const { command, application, serverId, subcommand, options } = await validateUsedOptions(deps, userId, {
    channelId,
    commandId,
    options: given,
  })
  const { id, name } = command
  const target = await resolveTarget(deps, command.type, { userId, channelId, serverId, targetId })
  const data = target ? { id, name, ...target, options: [] } : { id, name, options }
  return { type: 'command', application, serverId, name: [name, ...subcommand].join(' '), data }
}

/**
 * A button or select menu needs VIEW_CHANNEL only, which `requireChannel` checks. SEND_MESSAGES and USE_COMMANDS are not
 * required (bots/command-visibility, bots/button-refusals): they control who may start a bot with a command, while a component
 * was offered by the bot itself, in a message that the user can read, and works in direct messages, which have no
 * permissions. Discord has the same rule. A member who is timed out cannot use components (community/timeouts).
 */
async function resolveComponent(
  deps: InteractionDeps,
  userId: string,
  { channelId, messageId, customId, values }: Extract<RunInteractionBody, { type: 'component' }>,
): Promise<ResolvedRequest> {
  // For speed, both reads run in parallel. An error of the channel is thrown before one of the message.
  const [settledAccess, settledMessage] = await Promise.allSettled([
    requireChannel(deps.db, deps.clock(), userId, channelId),
    findComponentMessage(deps, { userId, channelId, messageId, customId }),
  ])
  const access = valueOrThrow(settledAccess)
  requireNoMemberTimeOut(access)
  const { ref, content, components, component, ...bot } = valueOrThrow(settledMessage)
  const { serverId } = access.channel
  // For speed, both reads run in parallel. An error of the bot is thrown before one of the values.
  const [application, data] = await Promise.allSettled([
    requireBotInChannel(deps.db, bot, channelId),
    resolveData(deps, component, values, { userId, channelId, serverId }),
  ])
  return {
    type: 'component',
    application: valueOrThrow(application),
    serverId,
    name: customId,
    sourceMessage: ref,
    data: valueOrThrow(data),
    message: { id: messageId, content, components },
  }
}

async function resolveData(
  { db }: InteractionDeps,
  component: Component,
  values: readonly string[] | undefined,
  place: { userId: string; channelId: string; serverId: string | null },
): Promise<ComponentInteraction['data']> {
  if (isSelect(component)) return resolveSelect(db, component, values, place)
  if (values !== undefined) throw invalid('values', 'not_allowed', 'is accepted only for a select menu')
  return { customId: component.customId ?? '', componentType: 'button' }
}

async function insertAndDispatch(
  { db, clock, ids, dispatcher, status }: InteractionDeps,
  request: RunInteractionBody,
  user: InteractionUser,
  resolved: ResolvedRequest,
): Promise<RunInteractionResponse> {
  const createdAt = clock()
  const { deadlineAt, expiresAt } = deadlinesOf(createdAt)
  const token = createSecret(secretPrefixes.interactionToken)
  const { application, sourceMessage, openedBy = null } = resolved
  const event = toEvent(resolved, {
    id: ids(),
    token,
    applicationId: application.id,
    channelId: request.channelId,
    user,
    createdAt: new Date(createdAt).toISOString(),
    deadlineAt: new Date(deadlineAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  })
  const interaction: store.InteractionRecord = {
    id: event.id,
    tokenHash: hashSecret(token),
    applicationId: event.applicationId,
    channelId: event.channelId,
    serverId: event.serverId,
    userId: user.id,
    type: event.type,
    name: resolved.name,
    nonce: request.nonce ?? null,
    sourceMessage,
    event: toStoredEvent(event, sourceMessage),
    delivery: dispatcher.deliveryOf(application),
    state: 'pending',
    reason: undefined,
    response: null,
    respondedAt: null,
    original: undefined,
    modal: undefined,
    openedBy,
    createdAt,
    deadlineAt,
    expiresAt,
  }
  const { serverId } = interaction
  const { botUserId } = application
  const membership = serverId === null || botUserId === null ? undefined : ([serverId, botUserId] as const)
  // The removal of a bot marks its pending interactions as failed (bots/bot-removed). The lock makes a concurrent removal wait until this
  // one is committed. If the removal was first, there is no row to lock, and nothing is inserted.
  const insert = () =>
    db.batch(sql => [
      ...(membership ? [lockMember(sql, ...membership)] : []),
      store.insertInteraction(sql, interaction),
    ])
  // Two unique indexes can prevent the insert too: the one of the nonce, and for a modal that of the interaction that opened it.
  if (!(await insert())) {
    const { userId, channelId, nonce } = interaction
    const existing =
      nonce === null ? undefined : await store.findInteractionByNonce(db, { userId, channelId, nonce })
    if (existing) return toRunInteractionResponse(existing, clock())
    if (membership && !(await isMember(db, ...membership))) throw notFound()
    if (openedBy === null) throw new Error('the interaction with this nonce was deleted')
    if (!(await store.releaseModal(db, openedBy, clock())) || !(await insert())) {
      throw new AppError('conflict', 'The modal was submitted before.')
    }
  }

  // The HTTP response of a new interaction has the state `pending`, `timed_out` or `failed`. INTERACTION_UPDATE reports every
  // transition, also the last two.
  const result = await dispatcher.start({ event, application, deadlineAt })
  if (result.dispatched) return toRunInteractionResponse(interaction, clock())
  const failed = await status.recordFailure(event.id, result)
  if (failed && result.cause instanceof BusUnavailable) throw result.cause
  // Not failed: another transition came first. `pending` is then out of date, but INTERACTION_UPDATE has reported the state.
  return toRunInteractionResponse({ ...interaction, state: failed ? 'failed' : 'pending' }, clock())
}

type EventBase = Pick<
  CommandInteraction,
  'id' | 'token' | 'applicationId' | 'channelId' | 'user' | 'createdAt' | 'deadlineAt' | 'expiresAt'
>

/** INTERACTION_CREATE (bots/interaction-payload). */
function toEvent(resolved: ResolvedRequest, base: EventBase): DispatchedEvent {
  const { id, token, applicationId, channelId, user, ...times } = base
  const head = { version: 1, id, token } as const
  const { serverId } = resolved
  switch (resolved.type) {
    case 'component': {
      const { type, message, data } = resolved
      return { ...head, type, applicationId, channelId, serverId, user, message, data, ...times }
    }
    case 'modal_submit': {
      const { type, message, data } = resolved
      const from = message === undefined ? {} : { message }
      return { ...head, type, applicationId, channelId, serverId, user, ...from, data, ...times }
    }
    case 'command': {
      const { type, data } = resolved
      if (serverId === null) throw new Error('a command needs a server')
      return { ...head, type, applicationId, channelId, serverId, user, data, ...times }
    }
  }
}

/** Without the token, and without the content of an ephemeral message (bots/ephemeral). */
function toStoredEvent(
  event: DispatchedEvent,
  sourceMessage: store.MessageRef | undefined,
): store.StoredEvent {
  const { token: _, ...rest } = event
  if (rest.type === 'command' && 'resolved' in rest.data && 'message' in rest.data.resolved) {
    const { id, ephemeral } = rest.data.resolved.message
    if (ephemeral === true) return { ...rest, data: { ...rest.data, resolved: { message: { id } } } }
  }
  return sourceMessage?.ephemeral === true ? { ...rest, message: { id: sourceMessage.id } } : rest
}

function toRunInteractionResponse(interaction: store.InteractionRecord, now: number): RunInteractionResponse {
  return {
    id: interaction.id,
    state: statusAt(interaction, now).state,
    deadlineAt: new Date(interaction.deadlineAt).toISOString(),
  }
}

export type Interactions = ReturnType<typeof createInteractionOperations>

export function createInteractionOperations(
  deps: InteractionDeps & { dispatcher: Pick<Dispatcher, 'complete'> },
) {
  const { db, clock, dispatcher, status } = deps
  return {
    create: (userId: string, body: RunInteractionBody) => createInteraction(deps, userId, body),

    /** Throws 404 unless the user created the interaction. */
    async getStatus(userId: string, id: string): Promise<InteractionStatus> {
      const interaction = await store.findInteraction(db, id)
      if (interaction?.userId !== userId) throw notFound()
      return { id, ...toPublicStatus(statusAt(interaction, clock())) }
    },

    /** The newest interactions of an application, oldest first. Throws 404 unless the user owns the application. */
    async listLog(ownerId: string, applicationId: string, limit: number): Promise<InteractionLogEntry[]> {
      await ownApplication(db, ownerId, applicationId)
      const now = clock()
      const interactions = await store.listInteractions(db, applicationId, limit)
      return interactions.map(interaction => toLogEntry(interaction, now))
    },

    /** Fails the open interactions of a bot on the server that it was removed from, and revokes all its tokens there (bots/bot-removed). */
    async onMemberRemoved(tx: Transaction, serverId: string, userId: string): Promise<void> {
      const applicationId = await findByBotUser(tx, userId)
      if (applicationId === undefined) return
      const now = clock()
      const since = timestampToSnowflake(newestExpired(now))
      const failed = await store.revokeInteractions(tx, { applicationId, serverId, since, now })
      tx.afterCommit(() => {
        for (const interaction of failed) {
          dispatcher.complete(interaction.id)
          status.publishAndCountOutcome(interaction, { state: 'failed', reason: { code: 'removed' } })
        }
      })
    },
  }
}

function toLogEntry(interaction: store.InteractionRecord, now: number): InteractionLogEntry {
  const { id, type, name, channelId, serverId, event, delivery, response } = interaction
  const { respondedAt, createdAt, deadlineAt } = interaction
  const { state, reason } = statusAt(interaction, now)
  const late = respondedAt !== null && isOverdue(interaction, respondedAt)
  return {
    id,
    type,
    name,
    ...(event.data?.type === undefined ? {} : { commandType: event.data.type }),
    channelId,
    serverId,
    user: event.user,
    createdAt: new Date(createdAt).toISOString(),
    state,
    sent: event,
    delivery,
    response,
    respondedAfterMs: respondedAt === null ? null : respondedAt - createdAt,
    reason: late
      ? `The bot responded ${respondedAt - deadlineAt} ms after the deadline.`
      : reason
        ? reasonText(reason)
        : null,
  }
}
