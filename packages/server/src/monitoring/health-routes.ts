import { constant, nullable, openObject, optional, string } from '@gatehouse/protocol/wire'
import { AppError } from '../errors/app-error.ts'
import { ok, type Route, routeGroup } from '../http/route.ts'
import { doctorHeader } from './doctor-token.ts'

const route = routeGroup({ tag: 'Operation', caller: { anonymous: true } })

const status = constant('ok', 'The state of the service.')
const Healthy = openObject({ status })
const Alive = openObject({
  status,
  connection: optional(
    openObject(
      {
        remoteAddress: string('The address that opened the connection.'),
        forwardedFor: nullable(string(), '`X-Forwarded-For` as it arrived.'),
        clientAddress: string('The address that rate limits count.'),
      },
      'How the request arrived. Only for `gatehouse doctor`.',
    ),
  ),
})

export function healthRoutes({
  isReady,
  isDoctor,
}: {
  isReady: () => Promise<boolean>
  /** Whether the header is that of `gatehouse doctor` with the key of this service. */
  isDoctor: (header: string) => boolean
}): Route[] {
  return [
    route('getHealth', {
      summary: 'Returns 200 while the process runs.',
      responses: { 200: Alive },
      handle: async ({ request }) => {
        const { headers, ip, socket } = request
        const doctor = headers[doctorHeader]
        if (typeof doctor !== 'string' || !isDoctor(doctor)) return ok({ status: 'ok' })
        const connection = {
          remoteAddress: socket.remoteAddress ?? '',
          forwardedFor: headers['x-forwarded-for']?.toString() ?? null,
          clientAddress: ip,
        }
        return ok({ status: 'ok', connection })
      },
    }),
    route('getReadiness', {
      summary: 'Returns 200 if the database and the bus are reachable, otherwise and during a shutdown 503.',
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
