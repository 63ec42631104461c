import type { Bus } from '../bus/bus.ts'
import type { Nodes } from '../bus/nodes.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import type { Database } from '../storage/database.ts'

/** What the parts of the gateway use of the core. */
export interface Deps {
  db: Database
  bus: Pick<Bus, 'subscribe' | 'respond' | 'publish'>
  nodes: Pick<Nodes, 'self' | 'others' | 'request' | 'onRequest'>
  clock: Clock
  timers: Timers
  onError: (error: unknown) => void
}
