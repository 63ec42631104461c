// Owns what happens when a person uses a command or presses a button: the checks before anything is sent, the delivery to
// the bot, its three seconds, its responses with their states, ephemeral messages, and the developer's log of all that.
// Does not own: the commands and where they are installed (applications/), the stored messages (platform/messages), the
// bot's connections (gateway/).
import type { AvailableCommand } from '@gatehouse/protocol/commands'
import type {
  CallbackBody,
  InteractionLogEntry,
  InteractionProgress,
  InvokeAnswer,
  InvokeBody,
  ResponseData,
  TryAnswer,
  TryBody,
} from '@gatehouse/protocol/interactions'
import type { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { type ApplicationRecord, findByBotUser, type RequestSigner } from '../applications/index.ts'
import type { Bus } from '../bus/bus.ts'
import { notFound } from '../kit/app-error.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import { snowflakeAt } from '../kit/snowflake.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { Events } from '../platform/events.ts'
import type { Messages } from '../platform/messages/index.ts'
import type { Database, Transaction } from '../storage/database.ts'
import type { Answerer } from './answering.ts'
import { callback } from './callback.ts'
import { availableCommands } from './commands.ts'
import { createDeliveries } from './delivery.ts'
import { createEphemerals } from './ephemeral.ts'
import { createGatewayDelivery } from './gateway-delivery.ts'
import { createHttpDelivery, type EndpointFailure } from './http-delivery.ts'
import { reasons, standingAt, tokenMs, toldStanding } from './interaction.ts'
import { invoke } from './invoke.ts'
import { interactionLog } from './log.ts'
import { createProgress, type Outcome } from './progress.ts'
import { deleteResponse, editResponse, followup, readResponse, type Which } from './responses.ts'
import * as store from './store.ts'
import { sweepInteractions } from './sweep.ts'
import { tryCommand } from './try.ts'

export type { Answerer } from './answering.ts'
export type { Which } from './responses.ts'

interface InteractionsDeps {
  db: Database
  clock: Clock
  timers: Timers
  ids: () => string
  bus: Bus
  events: Events
  messages: Messages
  outgoing: Pick<Outgoing, 'post'>
  sign: RequestSigner
  /** For the metrics. */
  observe: (outcome: Outcome) => void
  /** For the log: an endpoint did not take what it was sent. */
  note: (failure: EndpointFailure) => void
  /** What went wrong behind an answer. */
  report: (error: unknown) => void
}

export interface Interactions {
  /** The commands that a person can use in a channel; 404 where they may not view it. */
  available(userId: string, channelId: string): Promise<AvailableCommand[]>
  /** A person uses a command or presses a button. */
  invoke(userId: string, body: InvokeBody): Promise<InvokeAnswer>
  /** How far it is, for the person who asked; 404 for anybody else. */
  progress(userId: string, id: string): Promise<InteractionProgress>
  /** The bot's first response. */
  callback(answerer: Answerer, body: CallbackBody): Promise<Message | null>
  followup(answerer: Answerer, body: ResponseData): Promise<Message>
  read(which: Which): Promise<Message>
  edit(which: Which, body: UpdateMessageBody): Promise<Message>
  remove(which: Which): Promise<void>
  /** The last ones of an application, oldest first, for its owner. */
  log(ownerId: string, applicationId: string, limit: number): Promise<InteractionLogEntry[]>
  /** The application's owner uses one of its commands and answers it in the place of the bot. */
  tryCommand(ownerId: string, applicationId: string, body: TryBody): Promise<TryAnswer>
  /** D53: what a removed bot has open on the server fails, and its tokens there hold no more. */
  memberRemoved(tx: Transaction, serverId: string, userId: string): Promise<void>
  sweep(): Promise<void>
  /** Waits for what is under way. What is pending is timed out by its deadline, whoever lives to see it. */
  close(): Promise<void>
}

export function createInteractions(deps: InteractionsDeps): Interactions {
  const { db, bus, clock, timers, ids, events, messages, report, outgoing, sign, note } = deps
  const progress = createProgress({ events, observe: deps.observe })
  const ephemerals = createEphemerals({ db, bus, clock, events })
  const toGateway = createGatewayDelivery({ bus, clock })
  const toEndpoint = createHttpDelivery({
    clock,
    outgoing,
    sign,
    callback: (answerer, body) => callback(answeringDeps, answerer, body),
    note,
  })
  const deliveries = createDeliveries({
    bus,
    clock,
    timers,
    deliver: parcel =>
      deliveryOf(parcel.application) === 'endpoint' ? toEndpoint(parcel) : toGateway(parcel),
    isPending: async id => {
      const interaction = await store.findInteraction(db, id)
      return interaction !== undefined && standingAt(interaction, clock()).state === 'pending'
    },
    timeOut: async id => {
      const interaction = await store.timeOut(db, id, clock())
      if (interaction) progress.ended(interaction, { state: 'timed_out', reason: reasons.timedOut })
    },
    report,
  })
  const answeringDeps = { db, clock, ids, messages, ephemerals, deliveries, progress }
  const invokeDeps = { db, clock, ids, messages, ephemerals, deliveries, deliveryOf, progress, report }

  return {
    available: (userId, channelId) => availableCommands(db, userId, channelId),
    invoke: (userId, body) => invoke(invokeDeps, userId, body),
    async progress(userId, id) {
      const interaction = await store.findInteraction(db, id)
      if (interaction?.userId !== userId) throw notFound()
      return { id, ...toldStanding(standingAt(interaction, clock())) }
    },
    callback: (answerer, body) => callback(answeringDeps, answerer, body),
    followup: (answerer, body) => followup(answeringDeps, answerer, body),
    read: which => readResponse(answeringDeps, which),
    edit: (which, body) => editResponse(answeringDeps, which, body),
    remove: which => deleteResponse(answeringDeps, which),
    log: (ownerId, applicationId, limit) => interactionLog({ db, clock }, ownerId, { applicationId, limit }),
    tryCommand: (ownerId, applicationId, body) =>
      tryCommand(
        { ...invokeDeps, callback: (answerer, answer) => callback(answeringDeps, answerer, answer) },
        { ownerId, applicationId },
        body,
      ),
    async memberRemoved(tx, serverId, userId) {
      const applicationId = await findByBotUser(tx, userId)
      if (applicationId === undefined) return
      const now = clock()
      const since = snowflakeAt(now - tokenMs)
      const reason = reasons.removed
      const failed = await store.revoke(tx, { applicationId, serverId, since, reason, now })
      tx.afterCommit(() => {
        for (const interaction of failed) {
          deliveries.settled(interaction.id)
          progress.ended(interaction, { state: 'failed', reason })
        }
      })
    },
    sweep: () => sweepInteractions({ db, clock, events, messages, progress }),
    close: () => deliveries.close(),
  }
}

/** D26: by HTTP where the application has an endpoint, else by the gateway. */
function deliveryOf({
  interactionsEndpointUrl,
}: Pick<ApplicationRecord, 'interactionsEndpointUrl'>): 'endpoint' | 'gateway' {
  return interactionsEndpointUrl === null ? 'gateway' : 'endpoint'
}
