import type { RequestSigner } from '../applications/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Nodes } from '../bus/nodes.ts'
import type { MessageRepository } from '../community/messages/index.ts'
import type { Events } from '../events/gateway-events.ts'
import type { ProxyUrls } from '../images/media-proxy/index.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { Database } from '../storage/database.ts'

/** What the operations on interactions use of the core and of other features. */
export interface Deps {
  db: Database
  clock: Clock
  timers: Timers
  /** Makes a new snowflake. */
  ids: () => string
  bus: Bus
  nodes: Pick<Nodes, 'self' | 'neighbour' | 'others' | 'send' | 'onMessage' | 'onEnd'>
  events: Events
  messages: MessageRepository
  proxyUrls: Pick<ProxyUrls, 'addTo'>
  outgoing: Pick<Outgoing, 'post'>
  sign: RequestSigner
  secretKey: Uint8Array
  onError: (error: unknown) => void
}
