// Owns interactions: a user runs a command or presses a button, the bot receives an event and responds to it; ephemeral
// messages; the developer's log of interactions.
// Does not own: commands and integrations (applications/), stored messages (community/messages/), and gateway sessions.

import type { InteractionType, Message } from '@gatehouse/protocol/messages'
import type { Modal } from '@gatehouse/protocol/modals'
import type { Module } from '../events/module.ts'
import type { Logger } from '../http/log.ts'
import type { OnClose } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { createAutocomplete } from './autocomplete.ts'
import { autocompleteRoute } from './autocomplete-routes.ts'
import { availableCommandRoute } from './available-command-routes.ts'
import { callbackRoute } from './callback-routes.ts'
import { type Callback, createCallbackHandler } from './callbacks.ts'
import { commandTrialRoute } from './command-trial-routes.ts'
import { createDeliver } from './dispatch.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { createEndpointDispatch, type EndpointDispatchDeps } from './endpoint-dispatch.ts'
import { createEphemeralMessages } from './ephemeral-messages.ts'
import { followupRoutes } from './followup-routes.ts'
import { type CreateFollowup, createFollowupHandler } from './followups.ts'
import { createGatewayDispatch } from './gateway-dispatch.ts'
import type { Deps } from './interaction-deps.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { type CountOutcome, createStatusRecorder, statusAt } from './interaction-status.ts'
import { deleteInteractionsOfApplication, findInteraction, findSubmittedModal } from './interaction-store.ts'
import { sweepInteractions, sweepOverdue } from './interaction-sweep.ts'
import { createInteractionOperations } from './interactions.ts'
import { originalRoutes } from './original-routes.ts'
import { createOverdueScheduler } from './overdue.ts'
import { findResponder, type Responder, type ResponseCredentials } from './response-context.ts'
import { createResponseRate, type ResponseRate } from './response-rate.ts'
import { createResponses, type Responses } from './responses.ts'
import { findVisibleMessage } from './targets.ts'

interface InteractionsDeps extends Omit<Deps, 'onError'> {
  endpointFormats: EndpointDispatchDeps['endpointFormats']
  rateLimiter: RateLimiter
  /** For the metrics. */
  countOutcome: CountOutcome
  logger: Pick<Logger, 'error' | 'warn'>
  onClose: OnClose
}

/** Also what the API for Discord's bots translates to. */
export interface InteractionsApi extends Pick<Dispatcher, 'idle'> {
  callback: Callback
  createFollowup: CreateFollowup
  responses: Responses
  responseRate: Pick<ResponseRate, 'admit' | 'complete'>
  /** Undefined unless the token is that of an interaction that the bot may respond to, or of one that it answered. */
  findResponder(credentials: ResponseCredentials): Promise<Responder | undefined>
  findType(id: string): Promise<InteractionType | undefined>
  /** The modal that was submitted as the interaction. */
  findModal(id: string): Promise<Modal | undefined>
  /** A message of the channel, also an ephemeral one of the user. */
  findMessage(place: { userId: string; channelId: string; targetId: string }): Promise<Message | undefined>
}

export function createInteractionsModule(options: InteractionsDeps): Module<InteractionsApi> {
  const { db, clock, nodes, rateLimiter, logger, onClose } = options
  const onError = (err: unknown) => logger.error({ err }, 'an interaction failed')
  const deps = { ...options, onError }
  const status = createStatusRecorder(deps, options.countOutcome)
  const responseDeps = {
    ...deps,
    status,
    ephemerals: createEphemeralMessages(deps),
    followupRate: rateLimiter.window('followups'),
  }

  const delivery = {
    deliver: createDeliver(deps),
    sendToGateway: createGatewayDispatch(deps),
    endpoint: createEndpointDispatch({
      ...deps,
      onFailure: failure => logger.warn(failure, 'the dispatch to an interactions endpoint failed'),
    }),
  }
  const autocomplete = createAutocomplete({ ...deps, ...delivery })
  onClose(() => autocomplete.close())
  const dispatcher = createDispatcher({
    ...deps,
    ...delivery,
    // A lambda, because `callback` needs the dispatcher.
    callback: (responder, body) => callback(responder, body),
    async isPending(id) {
      const interaction = await findInteraction(db, id)
      return interaction !== undefined && statusAt(interaction, clock()).state === 'pending'
    },
    recordTimeout: status.recordTimeout,
    recordEndpointFailure: status.recordEndpointFailure,
  })
  onClose(() => dispatcher.close())
  const overdue = createOverdueScheduler(deps, () => sweepOverdue(responseDeps))
  onClose(() => overdue.close())
  nodes.onEnd(() => overdue.start())
  // The previous process may have ended with pending interactions, while no other node ran.
  overdue.start()

  const interactionDeps = { ...responseDeps, dispatcher }
  const callback: Callback = createCallbackHandler({ ...interactionDeps, autocomplete })
  const createFollowup = createFollowupHandler(responseDeps)
  const responses = createResponses(responseDeps)
  const interactions = createInteractionOperations(interactionDeps)
  const findAnyResponder = async (credentials: ResponseCredentials) =>
    (await findResponder(responseDeps, credentials)) ?? (await autocomplete.findResponder(credentials))
  const responseRate = createResponseRate({ ...deps, findResponder: findAnyResponder })

  return {
    api: {
      idle: dispatcher.idle,
      callback,
      createFollowup,
      responses,
      responseRate,
      findResponder: findAnyResponder,
      findMessage: place => findVisibleMessage(responseDeps, place),
      findType: async id => (await findInteraction(db, id))?.type,
      findModal: id => findSubmittedModal(db, id),
    },
    routes: [
      availableCommandRoute(db, clock),
      ...interactionRoutes(interactions),
      autocompleteRoute(autocomplete),
      ...[
        callbackRoute(callback),
        ...followupRoutes(createFollowup, responses),
        ...originalRoutes(responses),
      ].map(responseRate.count),
      commandTrialRoute({ ...interactionDeps, callback }),
    ],
    sweeps: [() => sweepInteractions(responseDeps), responseDeps.ephemerals.sweep],
    deletions: { application: [deleteInteractionsOfApplication] },
    subscribers: [
      {
        name: 'interactions',
        handlers: {
          MemberRemoved: (tx, { serverId, userId }) => interactions.onMemberRemoved(tx, serverId, userId),
        },
      },
    ],
  }
}
