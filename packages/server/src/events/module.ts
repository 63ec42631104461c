import type { Route } from '../http/route.ts'
import type { Deletions } from '../storage/deletion-registry.ts'
import type { DomainSubscriber } from './domain-events.ts'

/** A feature, as `compose.ts` mounts, runs and closes it. */
export interface Module<Api> {
  /** For the modules that use this one. */
  api: Api
  routes: readonly Route[]
  /** Periodic work: delete expired rows, record passed deadlines. They run one after another, once a minute. */
  sweeps?: readonly (() => Promise<void>)[]
  subscribers?: readonly DomainSubscriber[]
  deletions?: Deletions
}
