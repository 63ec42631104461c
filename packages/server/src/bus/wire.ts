import type { Clock } from '../kit/clock.ts'
import {
  type Bus,
  type BusMessage,
  BusUnavailable,
  checkName,
  RequestTimeout,
  ResponderFailed,
} from './bus.ts'
import { deliver, type Handler, type ReportError } from './deliver.ts'
import { Listeners } from './listeners.ts'
import { createTurnsByName } from './turns.ts'

type Receive = (text: string, reply: (text: string) => void) => void

/** What a connection between nodes must be able to do. Events and requests of one subject are apart. */
export interface Wire {
  /** False while the other nodes cannot be reached, and once it was closed. */
  up(): boolean
  /** Throws where the event is lost and that is worth a report. */
  send(subject: string, text: string): void
  /** Resolves to what ends it, when what is sent from now on will be received. One member of a queue receives. */
  listen(
    kind: 'event' | 'request',
    subject: string,
    queue: string | undefined,
    receive: Receive,
  ): Promise<() => void>
  /** Rejects with NoResponders, RequestTimeout, BusUnavailable. */
  ask(subject: string, text: string, timeoutMs: number): Promise<string>
  close(): Promise<void>
}

type Responder = (message: BusMessage) => Promise<BusMessage>

/** Answers that no text of JSON is: the responder threw; it has left, and the request is worth another try. */
const FAILED = ''
const GONE = '-'

/** The bus, less its transient keys, of a node that is joined to others by a wire. Messages go as JSON. */
export function createWireBus(wire: Wire, clock: Clock, report: ReportError): Omit<Bus, 'transient'> {
  const topics = new Map<string, { listeners: Listeners; stop: Promise<() => void> }>()
  const queues = createTurnsByName<Handler>()
  const responders = createTurnsByName<Responder>()

  function available(name: string): void {
    if (!wire.up()) throw new BusUnavailable()
    checkName(name)
  }

  function receiving(subject: string, use: (message: BusMessage) => void): Receive {
    return text => {
      try {
        use(JSON.parse(text))
      } catch (error) {
        report(error, subject)
      }
    }
  }

  /** All subscribers of this node share one subscription: a message comes once, and is parsed once. */
  async function join(subject: string, handler: Handler): Promise<() => void> {
    const topic = topics.get(subject) ?? openTopic(subject)
    topics.set(subject, topic)
    const leaveList = topic.listeners.add(handler)
    function leave(): void {
      leaveList()
      if (topic.listeners.size > 0 || topics.get(subject) !== topic) return
      topics.delete(subject)
      topic.stop.then(
        stop => stop(),
        () => {},
      )
    }
    await topic.stop.catch(error => {
      leave()
      throw error
    })
    return leave
  }

  function openTopic(subject: string) {
    const listeners = new Listeners(subject, report)
    const receive = receiving(subject, message => listeners.moment()(message))
    return { listeners, stop: wire.listen('event', subject, undefined, receive) }
  }

  /** Each member has a subscription of its own, so that the wire weighs the nodes; on the node it goes by turns. */
  async function joinQueue(subject: string, queue: string, handler: Handler): Promise<() => void> {
    const name = `${subject} ${queue}`
    const receive = receiving(subject, message => {
      const next = queues.next(name)
      if (next) deliver(next, message, subject, report)
    })
    const leave = queues.add(name, handler)
    return leaving(leave, wire.listen('event', subject, queue, receive))
  }

  async function answer(subject: string, text: string, reply: (text: string) => void): Promise<void> {
    const responder = wire.up() ? responders.next(subject) : undefined
    try {
      reply(responder ? await answerOf(responder, subject, text) : GONE)
    } catch (error) {
      report(error, subject)
    }
  }

  async function answerOf(responder: Responder, subject: string, text: string): Promise<string> {
    try {
      return encode(await responder(JSON.parse(text)))
    } catch (error) {
      report(error, subject)
      return FAILED
    }
  }

  return {
    publish(subject, message) {
      try {
        checkName(subject)
        wire.send(subject, encode(message))
      } catch (error) {
        report(error, subject)
      }
    },

    async subscribe(subject, handler, queue) {
      available(subject)
      if (queue !== undefined) checkName(queue)
      return {
        close: await (queue === undefined ? join(subject, handler) : joinQueue(subject, queue, handler)),
      }
    },

    async respond(subject, handler) {
      available(subject)
      const receive: Receive = (text, reply) => void answer(subject, text, reply)
      const leave = responders.add(subject, handler)
      return { close: await leaving(leave, wire.listen('request', subject, 'responders', receive)) }
    },

    async request(subject, message, timeoutMs) {
      const text = encode(message)
      const deadline = clock() + timeoutMs
      for (let left = timeoutMs; left > 0; left = deadline - clock()) {
        available(subject)
        const answered = await wire.ask(subject, text, left)
        if (answered === FAILED) throw new ResponderFailed(subject)
        if (answered !== GONE) return JSON.parse(answered)
      }
      throw new RequestTimeout(subject)
    },

    healthy: () => wire.up(),
    close: () => wire.close(),
  }
}

/** Ends both, also where listening fails. */
async function leaving(leave: () => void, listening: Promise<() => void>): Promise<() => void> {
  const stop = await listening.catch(error => {
    leave()
    throw error
  })
  return () => {
    leave()
    stop()
  }
}

function encode(message: BusMessage): string {
  return JSON.stringify(message) ?? 'null'
}
