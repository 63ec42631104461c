import type { Route } from '../../http/route.ts'
import type { Gateway } from '../index.ts'
import { gatewayRoute } from './gateway.ts'

export function gatewayRoutes(deps: { gateway: Pick<Gateway, 'url'> }): Route[] {
  return [gatewayRoute(deps)]
}
