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
import { deliver, guarded, type Handler, type ReportError, warn } from './deliver.ts'
import { Listeners } from './listeners.ts'
import { createLocalTransient } from './local-transient.ts'
import { createTurnsByName, type TurnsByName } from './turns.ts'

interface Options {
  clock?: Clock
  timers?: Timers
  onError?: ReportError
  /** Bounds of what `transient` holds: 100,000 keys, 64 Mi characters of keys and values. */
  maxEntries?: number
  maxCharacters?: number
}

interface Topic {
  listeners: Listeners
  /** Made with the first member of one. */
  queues: TurnsByName<Handler> | undefined
}

type Responder = (message: BusMessage) => Promise<BusMessage>

/**
 * The bus of one process. A message is delivered in a microtask after the publisher has run to its end, all in the order
 * in which they were published: a handler that publishes does not overtake, and nothing throws into the publisher.
 */
export function createLocalBus(options: Options = {}): Bus {
  const { clock = systemClock, timers = systemTimers } = options
  const report = guarded(options.onError ?? warn)
  const topics = new Map<string, Topic>()
  const responders = createTurnsByName<Responder>()
  const transient = createLocalTransient({ ...options, clock, timers })
  const outbox: (() => void)[] = []
  let closed = false

  function later(work: () => void): void {
    if (outbox.push(work) === 1) queueMicrotask(drain)
  }

  function drain(): void {
    for (let i = 0; i < outbox.length; i++) outbox[i]?.()
    outbox.length = 0
  }

  function open(subject: string): void {
    if (closed) throw new BusUnavailable()
    checkName(subject)
  }

  function dispatch(subject: string, message: BusMessage): void {
    const topic = topics.get(subject)
    if (!topic) return
    const hand = topic.listeners.moment()
    const queueNames = topic.queues?.names() ?? []
    later(() => {
      if (closed) return
      hand(message)
      for (const name of queueNames) {
        const handler = topic.queues?.next(name)
        if (handler) deliver(handler, message, subject, report)
      }
    })
  }

  function topicOf(subject: string): Topic {
    const topic = topics.get(subject) ?? {
      listeners: new Listeners(subject, report),
      queues: undefined,
    }
    topics.set(subject, topic)
    return topic
  }

  function queuesOf(topic: Topic): TurnsByName<Handler> {
    topic.queues ??= createTurnsByName<Handler>()
    return topic.queues
  }

  return {
    transient,
    publish(subject, message) {
      try {
        open(subject)
        dispatch(subject, message)
      } catch (error) {
        report(error, subject)
      }
    },

    async subscribe(subject, handler, queue) {
      open(subject)
      if (queue !== undefined) checkName(queue)
      const topic = topicOf(subject)
      const leave = queue === undefined ? topic.listeners.add(handler) : queuesOf(topic).add(queue, handler)
      return {
        close() {
          leave()
          const empty = topic.listeners.size === 0 && !topic.queues?.names().length
          if (empty && topics.get(subject) === topic) topics.delete(subject)
        },
      }
    },

    async respond(subject, handler) {
      open(subject)
      return { close: responders.add(subject, handler) }
    },

    async request(subject, message, timeoutMs) {
      open(subject)
      const answer = Promise.withResolvers<BusMessage>()
      const timer = timers.after(timeoutMs, () => answer.reject(new RequestTimeout(subject)))
      later(() => {
        const responder = responders.next(subject)
        if (!responder) return answer.reject(new NoResponders(subject))
        Promise.try(responder, message).then(answer.resolve, error => {
          report(error, subject)
          answer.reject(new ResponderFailed(subject))
        })
      })
      return answer.promise.finally(() => timer.cancel())
    },

    healthy: () => !closed,

    async close() {
      closed = true
      topics.clear()
      transient.close()
    },
  }
}
