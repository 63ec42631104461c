import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'
import { AppError } from '../../kit/app-error.ts'

const Healthy = Type.Object({ status: Type.Literal('ok') })

/** The process answers. */
export function healthRoute(): Route {
  return route({
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the process is alive',
    tag: 'Operation',
    caller: { anyone: true },
    answers: { 200: Healthy },
    handle: async () => ok({ status: 'ok' }),
  })
}

/** The process can do its work: 503 while the database or the bus cannot be reached, or the service is stopping. */
export function readyRoute(deps: { ready: () => Promise<boolean> }): Route {
  return route({
    method: 'GET',
    path: '/readyz',
    summary: 'Whether database and bus can be reached',
    tag: 'Operation',
    caller: { anyone: true },
    answers: { 200: Healthy },
    handle: async () => {
      if (await deps.ready()) return ok({ status: 'ok' })
      throw new AppError('unavailable', 'The database or the bus cannot be reached.')
    },
  })
}
