// Owns interactions: a user runs a command or presses a button, the bot receives an event and responds to it; ephemeral
// messages; the developer's log of interactions.
// Does not own commands and integrations (applications/), stored messages (platform/messages) and gateway sessions (gateway/).
import { findApplication } from '../applications/index.ts'
import type { Core, Module } from '../core.ts'
import { createBackgroundTasks } from '../kit/background.ts'
import { createAutocomplete } from './autocomplete.ts'
import { type Callback, createCallbackHandler } from './callback.ts'
import type { Deps } from './deps.ts'
import { createDispatcher, type Dispatcher, deliveryOf, type SendDispatch } from './dispatch.ts'
import { createEndpointDispatch } from './endpoint-dispatch.ts'
import { createEphemeralMessages } from './ephemeral.ts'
import { createFollowupHandler } from './followup.ts'
import { createGatewayDispatch } from './gateway-dispatch.ts'
import { createInteractionOperations } from './interactions.ts'
import { deleteInteractionsOfApplication, findInteraction } from './interactions-store.ts'
import { createResponses } from './original.ts'
import { createOverdueScheduler } from './overdue.ts'
import { autocompleteRoute } from './routes/autocomplete.ts'
import { callbackRoute } from './routes/callback.ts'
import { commandsRoute } from './routes/commands.ts'
import { followupRoutes } from './routes/followup.ts'
import { interactionsRoutes } from './routes/interactions.ts'
import { originalRoutes } from './routes/original.ts'
import { tryRoute } from './routes/try.ts'
import { createStatusRecorder, statusAt } from './status.ts'
import { sweepInteractions, sweepOverdue } from './sweep.ts'

export function createInteractionsModule(
  core: Core,
  others: Pick<Deps, 'messages' | 'proxyUrls' | 'outgoing' | 'sign'>,
): Module<Pick<Dispatcher, 'idle'>> {
  const { db, clock, metrics, logger } = core
  const onError = (err: unknown) => logger.error({ err }, 'an interaction failed')
  const deps = { ...core, ...others, onError }
  const status = createStatusRecorder(deps, metrics.interaction)
  const responseDeps = {
    ...deps,
    status,
    ephemerals: createEphemeralMessages(deps),
    followupRate: core.rateLimiter.window('followups'),
  }

  const sendToGateway = createGatewayDispatch(deps)
  const sendToEndpoint = createEndpointDispatch({
    ...deps,
    // A lambda, because `callback` needs the dispatcher, which needs this function.
    callback: (responder, body) => callback(responder, body),
    onFailure: failure => logger.warn(failure, 'the dispatch to an interactions endpoint failed'),
  })
  const send: SendDispatch = dispatch =>
    deliveryOf(dispatch.application) === 'endpoint' ? sendToEndpoint(dispatch) : sendToGateway(dispatch)
  const autocomplete = createAutocomplete({ ...deps, send })
  core.onClose(() => autocomplete.close())
  const dispatcher = createDispatcher({
    ...deps,
    send,
    async isPending(id) {
      const interaction = await findInteraction(db, id)
      return interaction !== undefined && statusAt(interaction, clock()).state === 'pending'
    },
    findApplication: id => findApplication(db, id),
    recordTimeout: status.recordTimeout,
    onEndpointFailure: status.recordEndpointFailure,
    background: createBackgroundTasks(onError),
  })
  core.onClose(() => dispatcher.close())
  const overdue = createOverdueScheduler(deps, () => sweepOverdue(responseDeps))
  core.onClose(() => overdue.close())
  core.nodes.onEnd(() => overdue.start())
  // The previous process may have ended with pending interactions, while no other node ran.
  overdue.start()

  const interactionDeps = { ...responseDeps, dispatcher }
  const callback: Callback = createCallbackHandler({ ...interactionDeps, autocomplete })
  const responses = createResponses(responseDeps)
  const interactions = createInteractionOperations(interactionDeps)

  return {
    api: dispatcher,
    routes: [
      commandsRoute(db, core.clock),
      ...interactionsRoutes(interactions),
      autocompleteRoute(autocomplete),
      callbackRoute(callback),
      ...followupRoutes(createFollowupHandler(responseDeps), responses),
      ...originalRoutes(responses),
      tryRoute({ ...interactionDeps, callback }),
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
