// Owns interactions: a user runs a command or presses a button, the bot receives an event and responds to it; ephemeral
// messages; the developer's log of interactions.
// Does not own commands and integrations (applications/), stored messages (platform/messages) and gateway sessions (gateway/).
import type { RequestSigner } from '../applications/index.ts'
import type { Core, Module } from '../core.ts'
import { createBackgroundTasks } from '../kit/background.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { MessageRepository } from '../platform/messages/index.ts'
import { type Callback, createCallbackHandler } from './callback.ts'
import { createDispatcher, type Dispatcher, transportOf } from './dispatch.ts'
import { createEndpointDispatch } from './endpoint-dispatch.ts'
import { createEphemeralMessages } from './ephemeral.ts'
import { createFollowupHandler } from './followup.ts'
import { createGatewayDispatch } from './gateway-dispatch.ts'
import { createInteractions } from './interactions.ts'
import { findInteraction } from './interactions-store.ts'
import { createResponses } from './original.ts'
import { callbackRoute } from './routes/callback.ts'
import { commandsRoute } from './routes/commands.ts'
import { followupRoutes } from './routes/followup.ts'
import { interactionsRoutes } from './routes/interactions.ts'
import { originalRoutes } from './routes/original.ts'
import { tryRoute } from './routes/try.ts'
import { createStatusRecorder, statusAt } from './status.ts'
import { sweepInteractions } from './sweep.ts'

interface ModuleDeps {
  messages: MessageRepository
  outgoing: Pick<Outgoing, 'post'>
  sign: RequestSigner
}

export function createInteractionsModule(
  core: Core,
  { messages, outgoing, sign }: ModuleDeps,
): Module<Pick<Dispatcher, 'idle'>> {
  const { db, clock, timers, ids, bus, events, metrics, logger } = core
  const onError = (err: unknown) => logger.error({ err }, 'an interaction failed')
  const status = createStatusRecorder({ db, clock, events, countOutcome: metrics.interaction, onError })
  const ephemerals = createEphemeralMessages({ db, bus, clock, events })

  const sendToGateway = createGatewayDispatch({ bus, clock })
  const sendToEndpoint = createEndpointDispatch({
    clock,
    outgoing,
    sign,
    // A lambda, because `callback` needs the dispatcher, which needs this function.
    callback: (responder, body) => callback(responder, body),
    onFailure: failure => logger.warn(failure, 'the dispatch to an interactions endpoint failed'),
  })
  const dispatcher = createDispatcher({
    bus,
    clock,
    timers,
    send: dispatch =>
      transportOf(dispatch.application) === 'endpoint' ? sendToEndpoint(dispatch) : sendToGateway(dispatch),
    async isPending(id) {
      const interaction = await findInteraction(db, id)
      return interaction !== undefined && statusAt(interaction, clock()).state === 'pending'
    },
    recordTimeout: status.recordTimeout,
    recordFailure: status.recordFailure,
    background: createBackgroundTasks(onError),
  })
  core.onClose(() => dispatcher.close())

  const responseDeps = { db, clock, ids, messages, ephemerals, status }
  const callback: Callback = createCallbackHandler({ ...responseDeps, dispatcher })
  const createFollowup = createFollowupHandler(responseDeps)
  const responses = createResponses(responseDeps)
  const interactionDeps = { ...responseDeps, dispatcher }
  const interactions = createInteractions(interactionDeps)

  return {
    api: dispatcher,
    routes: [
      commandsRoute(db),
      ...interactionsRoutes(interactions),
      callbackRoute(callback),
      ...followupRoutes(createFollowup, responses),
      ...originalRoutes(responses),
      tryRoute({ ...interactionDeps, callback }),
    ],
    sweeps: [() => sweepInteractions({ db, clock, events, messages, status })],
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
