import type { APIGatewayBotInfo, APIGatewayInfo } from 'discord-api-types/v10'
import { limitKeyOf } from '../../http/caller.ts'
import type { Route } from '../../http/route.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import { apiPath, route } from '../api-route.ts'
import type { DeclareBotRoute } from '../bot-route.ts'
import type { Whole } from '../objects/whole.ts'

interface GatewayRouteDeps {
  rateLimiter: Pick<RateLimiter, 'window'>
  baseUrl: string
}

export function discordGatewayRoutes(
  botRoute: DeclareBotRoute,
  { rateLimiter, baseUrl }: GatewayRouteDeps,
): Route[] {
  const url = `${baseUrl.replace(/^http/, 'ws')}${apiPath}/gateway/ws`
  const identifies = rateLimiter.window('identifies')
  return [
    route('GET /gateway', {
      summary: 'Returns the URL of the gateway.',
      caller: { anonymous: true },
      missing: 'path',
      handle: async (): Promise<Whole<APIGatewayInfo>> => ({ url }),
    }),
    botRoute('GET /gateway/bot', {
      summary: 'Returns the URL of the gateway, the advised number of shards and the rate of identifies.',
      missing: 'path',
      async handle({ run, caller }): Promise<Whole<APIGatewayBotInfo>> {
        const { shards } = await run('getBotGateway', {})
        const { remaining, resetAfterMs } = identifies.peek(limitKeyOf(caller))
        const { count: total } = identifies.rate
        const limit = { total, remaining, reset_after: resetAfterMs, max_concurrency: 1 }
        return { url, shards, session_start_limit: limit }
      },
    }),
  ]
}
