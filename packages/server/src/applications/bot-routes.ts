import { BotToken, CreateBotBody, CreatedBot } from '@gatehouse/protocol/applications'
import { created, ok, type Route, routeGroup } from '../http/route.ts'
import type { Bots } from './application-bots.ts'

const route = routeGroup({ tag: 'Developer console', caller: { session: true } })

export function botRoutes(bots: Bots): Route[] {
  return [
    route('createBot', {
      summary: 'Creates the bot of an application. Only this response contains the token.',
      body: CreateBotBody,
      responses: { 201: CreatedBot },
      errors: ['not_found', 'conflict', 'email_not_verified'],
      handle: async ({ caller, params, body }) => created(await bots.create(caller.userId, params.id, body)),
    }),
    route('resetBotToken', {
      summary: 'Resets the bot token. Connections with the old token are closed.',
      responses: { 200: BotToken },
      errors: ['not_found', 'email_not_verified'],
      handle: async ({ caller, params }) => ok({ token: await bots.resetToken(caller.userId, params.id) }),
    }),
  ]
}
