import { type Clock, systemClock, systemTimers, type Timers } from '../kit/clock.ts'
import {
  type Bus,
  type BusMessage,
  BusUnavailable,
  checkName,
  NoResponders,
  RequestTimeout,
  ResponderFailed,
} from './bus.ts'
import { createSafeOnError, type OnError, SubscriberList } from './bus-handlers.ts'
import { createLocalKv } from './local-kv.ts'
import { createNamedRoundRobins } from './round-robin.ts'

interface Options {
  clock?: Clock
  timers?: Timers
  onError?: OnError
  /** Limits of `kv`, and of `requestKv`. The defaults are 100,000 keys and 64 Mi characters of keys and values. */
  maxEntries?: number
  maxCharacters?: number
}

type RequestHandler = (message: BusMessage) => Promise<BusMessage>

/**
 * The bus of one process. Messages are sent in a microtask, in the order of publication. So a message that a handler
 * publishes does not overtake others, and no handler throws into a publisher.
 */
export function createLocalBus(options: Options = {}): Bus {
  const { clock = systemClock, timers = systemTimers } = options
  const onError = createSafeOnError(options.onError)
  const subjects = new Map<string, SubscriberList>()
  const responders = createNamedRoundRobins<RequestHandler>()
  const kv = createLocalKv({ ...options, clock, timers })
  const requestKv = createLocalKv({ ...options, clock, timers })
  const pending: (() => void)[] = []
  let closed = false

  function runInMicrotask(work: () => void): void {
    if (pending.push(work) === 1) queueMicrotask(runPending)
  }

  function runPending(): void {
    // By index: `work` may push more.
    for (let i = 0; i < pending.length; i++) pending[i]?.()
    pending.length = 0
  }

  function checkAccess(name: string): void {
    if (closed) throw new BusUnavailable()
    checkName(name)
  }

  function send(name: string, message: BusMessage): void {
    const callSubscribers = subjects.get(name)?.snapshot()
    if (callSubscribers === undefined) return
    runInMicrotask(() => {
      if (!closed) callSubscribers(message)
    })
  }

  return {
    kv,
    requestKv,
    publish(subject, message) {
      try {
        checkAccess(subject)
        send(subject, message)
      } catch (error) {
        onError(error, subject)
      }
    },

    async subscribe(name, handler) {
      checkAccess(name)
      const subscribers = subjects.get(name) ?? new SubscriberList(name, onError)
      subjects.set(name, subscribers)
      const remove = subscribers.add(handler)
      return {
        close() {
          remove()
          if (subscribers.size === 0 && subjects.get(name) === subscribers) subjects.delete(name)
        },
      }
    },

    async respond(subject, handler) {
      checkAccess(subject)
      return { close: responders.add(subject, handler) }
    },

    async request(subject, message, timeoutMs) {
      checkAccess(subject)
      const response = Promise.withResolvers<BusMessage>()
      const timer = timers.after(timeoutMs, () => response.reject(new RequestTimeout(subject)))
      runInMicrotask(() => {
        const responder = responders.next(subject)
        if (!responder) return response.reject(new NoResponders(subject))
        const respond = async () => responder(message)
        respond().then(response.resolve, error => {
          onError(error, subject)
          response.reject(new ResponderFailed(subject))
        })
      })
      return response.promise.finally(() => timer.cancel())
    },

    // A single process has no connection that could be lost.
    onReconnect() {},
    healthy: () => !closed,

    async close() {
      closed = true
      subjects.clear()
      await Promise.all([kv.close(), requestKv.close()])
    },
  }
}
