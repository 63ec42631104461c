import { BotGatewayResponse } from '@gatehouse/protocol/gateway'
import { ok, type Route, route } from '../http/route.ts'

export function botGatewayRoute(advise: (userId: string) => Promise<BotGatewayResponse>): Route {
  return route('getBotGateway', {
    summary: 'Returns the URL of the gateway and the advised number of shards.',
    tag: 'Gateway',
    caller: { bot: true },
    responses: { 200: BotGatewayResponse },
    handle: async ({ caller }) => ok(await advise(caller.userId)),
  })
}
