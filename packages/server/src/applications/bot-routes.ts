import { BotToken, CreateBotBody, CreatedBot } from '@gatehouse/protocol/applications'
import { PathIds } from '@gatehouse/protocol/ids'
import { created, ok, type Route, route } from '../http/route.ts'
import type { Bots } from './application-bots.ts'

const common = { tag: 'Developer console', caller: { session: true }, params: PathIds('id') } as const

export function botRoutes(bots: Bots): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/api/applications/:id/bot',
      operationId: 'createBot',
      summary: 'Creates the bot of an application. Only this response contains the token.',
      body: CreateBotBody,
      responses: { 201: CreatedBot },
      errors: ['not_found', 'conflict', 'email_not_verified'],
      handle: async ({ caller, params, body }) => created(await bots.create(caller.userId, params.id, body)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/api/applications/:id/bot/token',
      operationId: 'resetBotToken',
      summary: 'Resets the bot token. Connections with the old token are closed.',
      responses: { 200: BotToken },
      errors: ['not_found', 'email_not_verified'],
      handle: async ({ caller, params }) => ok({ token: await bots.resetToken(caller.userId, params.id) }),
    }),
  ]
}
