import { isJsonObject } from '@gatehouse/protocol/json-object'
import type { Subscription } from '../bus/bus.ts'
import { subjects } from '../events/gateway-events.ts'
import type { Deps } from './interaction-deps.ts'

/** `node_lost`: with all its sessions. A node that stops reports each of its sessions that closes. */
export type SessionEvent =
  | { kind: 'connected' }
  | { kind: 'disconnected'; sessionId: string }
  | { kind: 'node_lost'; node: string }

/** Remembers what happens to the gateway sessions of one application. */
interface SessionWatch {
  /** Resolves when nothing is missed any more. Rejects if the bus is down. */
  ready: Promise<unknown>
  forget(): void
  /** Resolves at the first such event since `forget`. One call at a time. */
  until(is: (event: SessionEvent) => boolean): Promise<void>
  close(): void
}

interface Application {
  listeners: Set<(event: SessionEvent) => void>
  subscriptions: Promise<Subscription[]>
}

/** Watches of one application share its subscriptions, and are told of an event in the order of their creation. */
export function createSessionWatches({ bus, nodes }: Pick<Deps, 'bus' | 'nodes'>) {
  const applications = new Map<string, Application>()

  nodes.onEnd((node, end) => {
    if (end !== 'lost') return
    for (const application of applications.values()) tell(application, { kind: 'node_lost', node })
  })

  function tell({ listeners }: Pick<Application, 'listeners'>, event: SessionEvent): void {
    for (const listener of listeners) listener(event)
  }

  function subscribe(applicationId: string): Application {
    const listeners: Application['listeners'] = new Set()
    const subscriptions = Promise.all([
      bus.subscribe(subjects.gatewaySessionDisconnected(applicationId), message => {
        if (!isJsonObject(message) || typeof message.sessionId !== 'string') return
        tell({ listeners }, { kind: 'disconnected', sessionId: message.sessionId })
      }),
      bus.subscribe(subjects.gatewaySessionConnected(applicationId), () =>
        tell({ listeners }, { kind: 'connected' }),
      ),
    ])
    const application = { listeners, subscriptions }
    applications.set(applicationId, application)
    return application
  }

  return function watchSessions(applicationId: string): SessionWatch {
    const { listeners, subscriptions } = applications.get(applicationId) ?? subscribe(applicationId)
    let events: SessionEvent[] = []
    let onEvent: (event: SessionEvent) => void = () => undefined
    const listener = (event: SessionEvent) => {
      events.push(event)
      onEvent(event)
    }
    listeners.add(listener)
    return {
      ready: subscriptions,
      forget() {
        events = []
      },
      until: is =>
        new Promise(resolve => {
          if (events.some(is)) resolve()
          onEvent = event => is(event) && resolve()
        }),
      close() {
        listeners.delete(listener)
        if (listeners.size > 0) return
        applications.delete(applicationId)
        subscriptions.then(
          closable => {
            for (const subscription of closable) subscription.close()
          },
          () => undefined,
        )
      },
    }
  }
}
