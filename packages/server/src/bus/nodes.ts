import { randomBytes } from 'node:crypto'
import type { Timer, Timers } from '../kit/clock.ts'
import { type Bus, type BusMessage, NoResponders } from './bus.ts'

/** How a node ended: it announced its shutdown, or its heartbeats stopped. */
export type NodeEnd = 'stopped' | 'lost'

/** The nodes of the service, as this node sees them on the bus. */
export interface Nodes {
  /** Identifies this run of the process. */
  readonly self: string
  /**
   * The next node in the order of the ids, which may be another one after a node joins or ends. Undefined if there is
   * none.
   */
  neighbour(): string | undefined
  /** All other nodes, also those that were lost in the last two minutes, because a node may only be too slow. */
  others(): string[]
  /** Sends a message to one node. It is lost if the node ends. */
  send(node: string, message: BusMessage): void
  /** Calls `listener` with each message for this node. */
  onMessage(listener: (message: BusMessage) => void): void
  /**
   * Sends a request to one node. Rejects like `request` of the bus, with ResponderFailed if the node has no
   * `onRequest`.
   */
  request(node: string, message: BusMessage, timeoutMs: number): Promise<BusMessage>
  /** Sets the one function that replies to the requests of other nodes. */
  onRequest(respond: (message: BusMessage) => Promise<BusMessage>): void
  /**
   * Calls `listener` when another node ends. A node that is only too slow for its heartbeats ends too, and may come
   * back.
   */
  onEnd(listener: (node: string, end: NodeEnd) => void): void
  /** Tells the other nodes that this one ends. */
  close(): void
}

const subject = 'nodes'

// A node that dies is noticed 0.6 to 0.8 s later.
const heartbeatMs = 200
const missedHeartbeats = 3
/** How long a lost node is one of `others`. */
const lostHeartbeats = (2 * 60_000) / heartbeatMs

interface Announcement {
  node: string
  stopped?: true
}

/** The only node. */
export function singleNode(): Nodes {
  return {
    self: 'single',
    neighbour: () => undefined,
    others: () => [],
    send() {},
    onMessage() {},
    request: async node => {
      throw new NoResponders(node)
    },
    onRequest() {},
    onEnd() {},
    close() {},
  }
}

/** Announces this node to the others with heartbeats, and listens to theirs. */
export async function joinNodes(
  bus: Pick<Bus, 'publish' | 'subscribe' | 'respond' | 'request' | 'healthy'>,
  timers: Timers,
): Promise<Nodes> {
  const self = randomBytes(9).toString('base64url')
  /** The other nodes, with the number of heartbeats that each has missed. */
  const missed = new Map<string, number>()
  /** The nodes that were lost, with the number of heartbeats since then. */
  const lost = new Map<string, number>()
  /** The nodes whose heartbeat arrived since the last one of this node. */
  const heard = new Set<string>()
  const endListeners: ((node: string, end: NodeEnd) => void)[] = []
  const messageListeners: ((message: BusMessage) => void)[] = []
  let respond = async (_message: BusMessage): Promise<BusMessage> => {
    throw new Error('this node does not respond to requests')
  }

  function announce(announcement: Announcement): void {
    if (bus.healthy()) bus.publish(subject, announcement)
  }

  function end(node: string, how: NodeEnd): void {
    missed.delete(node)
    if (how === 'lost') lost.set(node, 0)
    else lost.delete(node)
    for (const listener of endListeners) listener(node, how)
  }

  function onAnnouncement({ node, stopped }: Announcement): void {
    if (stopped) {
      if (node !== self) end(node, 'stopped')
      return
    }
    heard.add(node)
    lost.delete(node)
    if (node === self || missed.has(node)) return
    missed.set(node, 0)
    // So that a new node knows this one at once.
    announce({ node: self })
  }

  function beat(): void {
    // Without its own heartbeat, the bus is down or slow, which says nothing about the other nodes. Heartbeats are
    // counted, not timed, so a pause of this process is not taken for the end of all others.
    if (heard.has(self)) {
      for (const [node, count] of missed) {
        if (heard.has(node)) missed.set(node, 0)
        else if (count + 1 < missedHeartbeats) missed.set(node, count + 1)
        else end(node, 'lost')
      }
    }
    for (const [node, count] of lost) {
      if (count + 1 < lostHeartbeats) lost.set(node, count + 1)
      else lost.delete(node)
    }
    heard.clear()
    announce({ node: self })
    timer = timers.after(heartbeatMs, beat)
  }

  const subscriptions = await Promise.all([
    bus.subscribe(subject, message => onAnnouncement(message as Announcement)),
    bus.subscribe(`${subject}.${self}`, message => {
      for (const listener of messageListeners) listener(message)
    }),
    bus.respond(`${subject}.${self}`, message => respond(message)),
  ])
  announce({ node: self })
  let timer: Timer = timers.after(heartbeatMs, beat)

  return {
    self,
    neighbour() {
      const sorted = [...missed.keys()].sort()
      return sorted.find(node => node > self) ?? sorted[0]
    },
    others: () => [...missed.keys(), ...lost.keys()],
    request: (node, message, timeoutMs) => bus.request(`${subject}.${node}`, message, timeoutMs),
    onRequest(responder) {
      respond = responder
    },
    send: (node, message) => bus.publish(`${subject}.${node}`, message),
    onMessage: listener => void messageListeners.push(listener),
    onEnd: listener => void endListeners.push(listener),
    close() {
      timer.cancel()
      for (const subscription of subscriptions) subscription.close()
      announce({ node: self, stopped: true })
    },
  }
}
