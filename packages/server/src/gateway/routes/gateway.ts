import { GatewayAnswer } from '@gatehouse/protocol/gateway'
import { ok, type Route, route } from '../../http/route.ts'
import type { Gateway } from '../index.ts'

/** `/api/gateway` */
export function gatewayRoute({ gateway }: { gateway: Pick<Gateway, 'url'> }): Route {
  return route({
    method: 'GET',
    path: '/api/gateway',
    summary: 'Where the WebSocket is.',
    tag: 'Gateway',
    caller: { anyone: true },
    answers: { 200: GatewayAnswer },
    handle: async () => ok({ url: gateway.url }),
  })
}
