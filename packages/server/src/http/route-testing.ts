import type { Method } from '@gatehouse/protocol/endpoints'
import type { Schema } from '@gatehouse/protocol/wire'
import type { AcceptedCallers } from './caller.ts'
import { type Responses, type Route, type RouteCommon, type RouteDetails, route } from './route.ts'

/** Declares a route that the service does not have: `testRoute('GET /api/things', …)`. */
export function testRoute<
  const C extends AcceptedCallers,
  const R extends Responses,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
>(
  line: `${Method} /${string}`,
  spec: RouteCommon<C> & RouteDetails<'docsPage', C, undefined, Q, B, R>,
): Route {
  const [method, path] = line.split(' ') as [Method, string]
  return { ...route('docsPage', spec), method, path }
}
