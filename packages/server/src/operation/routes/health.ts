import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'
import { AppError } from '../../kit/app-error.ts'

const Healthy = Type.Object({ status: Type.Literal('ok', { description: 'The state of the service.' }) })

export function healthRoutes({ isReady }: { isReady: () => Promise<boolean> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      operationId: 'getHealth',
      summary: 'Returns 200 while the process runs.',
      tag: 'Operation',
      caller: { anonymous: true },
      responses: { 200: Healthy },
      handle: async () => ok({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      summary: 'Returns 200 if the database and the bus are reachable, otherwise and during a shutdown 503.',
      tag: 'Operation',
      caller: { anonymous: true },
      responses: { 200: Healthy },
      handle: async () => {
        if (await isReady()) return ok({ status: 'ok' })
        throw new AppError(
          'unavailable',
          'The database or the bus is not reachable, or the service shuts down.',
        )
      },
    }),
  ]
}
