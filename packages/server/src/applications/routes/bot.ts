import { BotToken, CreateBotBody, CreatedBot } from '@gatehouse/protocol/applications'
import { PathIds } from '@gatehouse/protocol/ids'
import { created, ok, type Route, route } from '../../http/route.ts'
import type { BotRules } from '../index.ts'

const common = { tag: 'Developer console', caller: { session: true }, params: PathIds('id') } as const

export function botRoutes({ bots }: { bots: BotRules }): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/api/applications/:id/bot',
      summary: 'Give the application a bot; the token is shown this once',
      body: CreateBotBody,
      answers: { 201: CreatedBot },
      errors: ['not_found', 'conflict'],
      handle: async ({ caller, params, body }) => created(await bots.create(caller.userId, params.id, body)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/api/applications/:id/bot/token',
      summary: 'A new bot token, shown this once; connections with the old one are closed',
      answers: { 200: BotToken },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok({ token: await bots.resetToken(caller.userId, params.id) }),
    }),
  ]
}
