import type {
  InteractionCreate,
  InteractionLogEntry,
  InteractionStatus,
  RunInteractionBody,
  RunInteractionResponse,
} from '@gatehouse/protocol/interactions'
import { findUser, type UserRecord } from '../accounts/users/index.ts'
import { type ApplicationRecord, findByBotUser, ownApplication } from '../applications/index.ts'
import { BusUnavailable } from '../bus/bus.ts'
import { lockMember } from '../community/members/index.ts'
import { findChannelAccess } from '../community/permissions/index.ts'
import { AppError, notFound } from '../errors/app-error.ts'
import { createSecret, hashSecret, secretPrefixes } from '../kit/secret.ts'
import { timestampToSnowflake } from '../kit/snowflake.ts'
import type { Database, Transaction } from '../storage/database.ts'
import { resolveCommand } from './command-use.ts'
import { resolveComponent } from './component-use.ts'
import { deadlinesOf, isOverdue, newestExpired } from './deadline.ts'
import type { Dispatch, DispatchFailure } from './dispatch.ts'
import type { Dispatcher } from './dispatcher.ts'
import { reasonText, type StatusColumns, statusAt, toPublicStatus } from './interaction-status.ts'
import * as store from './interaction-store.ts'
import { toInteractionUser, toStoredEvent, type Use, type UserInChannel } from './interaction-use.ts'
import { resolveModalSubmit } from './modal-use.ts'
import type { ResponseDeps } from './response-context.ts'

export interface InteractionDeps extends ResponseDeps {
  /** The dispatcher, or that of a trial, which returns the delivery `console` (`command-trial.ts`). */
  dispatcher: {
    deliveryOf(application: ApplicationRecord): store.InteractionRecord['delivery']
    start(dispatch: Dispatch): Promise<DispatchFailure | undefined>
  }
}

/**
 * Runs a command, uses a component or submits a modal. The request is checked before the bot is called. With an
 * interactions endpoint, it resolves immediately; with the gateway, when a session has received the event or none
 * accepts it. If a node does not confirm the event, it resolves at the latest at the deadline. A repeated nonce returns
 * the existing interaction, even if the request is invalid now. Throws BusUnavailable if the bus is down; the
 * interaction has failed then.
 */
export async function createInteraction(
  deps: InteractionDeps,
  userId: string,
  request: RunInteractionBody,
): Promise<RunInteractionResponse> {
  const { db, clock } = deps
  const { channelId, nonce = null } = request
  const findRepeated = () => store.findInteractionByNonce(db, { userId, channelId, nonce })
  const [repeated, user, access] = await Promise.all([
    findRepeated(),
    findUser(db, userId),
    findChannelAccess(db, clock(), userId, channelId),
  ])
  if (repeated) return toRunInteractionResponse(repeated, clock())
  if (!user || !access) throw notFound()
  const use = await resolveUse(deps, { userId, access }, request)

  const { interaction, dispatch } = newInteraction(deps, use, { user, channelId, nonce })
  if (!(await storeInteraction(db, interaction, use.application.botUserId))) {
    const existing = await findRepeated()
    if (existing) return toRunInteractionResponse(existing, clock())
    if (interaction.openedBy !== null) throw new AppError('conflict', 'The modal was submitted before.')
    throw new Error('the interaction with this nonce was deleted')
  }
  return dispatchInteraction(deps, interaction, dispatch)
}

function resolveUse(deps: InteractionDeps, user: UserInChannel, request: RunInteractionBody): Promise<Use> {
  switch (request.type) {
    case 'command':
      return resolveCommand(deps, user, request)
    case 'component':
      return resolveComponent(deps, user, request)
    case 'modal_submit':
      return resolveModalSubmit(deps, user, request)
  }
}

/** The row of a new interaction, and the event for the bot, which alone contains the token. */
function newInteraction(
  { clock, ids, dispatcher }: InteractionDeps,
  { application, name, sourceMessage, openedBy, event: usedEvent }: Use,
  { user, channelId, nonce }: { user: UserRecord; channelId: string; nonce: string | null },
): { interaction: store.NewInteraction; dispatch: Dispatch } {
  const [id, applicationId, createdAt] = [ids(), application.id, clock()]
  const { deadlineAt, expiresAt } = deadlinesOf(createdAt)
  const token = createSecret(secretPrefixes.interactionToken)
  const event: Exclude<InteractionCreate, { type: 'autocomplete' }> = {
    version: 1,
    id,
    token,
    applicationId,
    channelId,
    user: toInteractionUser(user),
    ...usedEvent,
    createdAt: new Date(createdAt).toISOString(),
    deadlineAt: new Date(deadlineAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  }
  const interaction: store.NewInteraction = {
    id,
    tokenHash: hashSecret(token),
    applicationId,
    channelId,
    serverId: event.serverId,
    userId: user.id,
    type: event.type,
    name,
    nonce,
    sourceMessage,
    event: toStoredEvent(event, sourceMessage),
    delivery: dispatcher.deliveryOf(application),
    openedBy,
    createdAt,
    deadlineAt,
    expiresAt,
  }
  return { interaction, dispatch: { event, application, deadlineAt } }
}

/**
 * False if the nonce was used before, or the modal was submitted before. Throws 404 if the bot is not a member of the
 * server any more: its removal marks its pending interactions as failed (bots/bot-removed), and waits until this one is
 * committed.
 */
function storeInteraction(
  db: Database,
  interaction: store.NewInteraction,
  botId: string | null,
): Promise<boolean> {
  const { serverId, openedBy, createdAt } = interaction
  return db.transaction(async tx => {
    if (serverId !== null && botId !== null && !(await lockMember(tx, serverId, botId))) throw notFound()
    if (openedBy !== null) await store.releaseModal(tx, openedBy, createdAt)
    return store.insertInteraction(tx, interaction)
  })
}

/**
 * Sends a stored interaction to its bot. The state in the result is `pending`, `timed_out` or `failed`.
 * INTERACTION_UPDATE reports every transition, also the last two.
 */
async function dispatchInteraction(
  { clock, dispatcher, status }: InteractionDeps,
  interaction: store.NewInteraction,
  dispatch: Dispatch,
): Promise<RunInteractionResponse> {
  const failure = await dispatcher.start(dispatch)
  // False if another transition came first: `pending` is then out of date, but INTERACTION_UPDATE has reported the
  // state.
  const hasFailed = failure !== undefined && (await status.recordFailure(interaction.id, failure))
  if (hasFailed && failure.cause instanceof BusUnavailable) throw failure.cause
  const state = hasFailed ? 'failed' : 'pending'
  return toRunInteractionResponse({ ...interaction, state, reason: undefined, modal: undefined }, clock())
}

function toRunInteractionResponse(
  interaction: StatusColumns & { id: string },
  now: number,
): RunInteractionResponse {
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

    /**
     * Fails the open interactions of a bot on the server that it was removed from, and revokes all its tokens there
     * (bots/bot-removed).
     */
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
