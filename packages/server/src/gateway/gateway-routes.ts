import { GatewayResponse } from '@gatehouse/protocol/gateway'
import { ok, type Route, route } from '../http/route.ts'
import type { Gateway } from './gateway.ts'

export function gatewayRoute(gateway: Gateway): Route {
  return route('getGateway', {
    summary: 'Returns the URL of the gateway.',
    tag: 'Gateway',
    caller: { anonymous: true },
    responses: { 200: GatewayResponse },
    handle: async () => ok({ url: gateway.url }),
  })
}
