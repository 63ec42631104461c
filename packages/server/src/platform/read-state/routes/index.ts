import type { Route } from '../../../http/route.ts'
import type { ReadStates } from '../index.ts'
import { readRoute } from './read.ts'

export function readStateRoutes(deps: { readStates: ReadStates }): Route[] {
  return readRoute(deps)
}
