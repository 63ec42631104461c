import {
  Application,
  CreateApplicationBody,
  CreatedApplication,
  OwnApplication,
  UpdateApplicationBody,
  UpdateOwnApplicationBody,
} from '@gatehouse/protocol/applications'
import { list } from '@gatehouse/protocol/wire'
import { created, route as declareRoute, noContent, ok, type Route, routeGroup } from '../http/route.ts'
import type { Bots } from './application-bots.ts'
import type { Applications } from './applications.ts'

const route = routeGroup({ tag: 'Developer console', caller: { session: true } })

export function applicationRoutes(applications: Applications, bots: Bots): Route[] {
  return [
    route('createApplication', {
      summary: 'Creates an application. The response for a confidential one contains the client secret.',
      body: CreateApplicationBody,
      rates: ['applications'],
      responses: { 201: CreatedApplication },
      errors: ['redirect_uri_limit', 'email_not_verified', 'limit_reached'],
      handle: async ({ caller, body }) => created(await applications.create(caller.userId, body)),
    }),
    route('listApplications', {
      summary: 'Lists the applications of the user, oldest first.',
      responses: { 200: list(Application) },
      handle: async ({ caller }) => ok(await applications.list(caller.userId)),
    }),
    route('getApplication', {
      summary: 'Returns an application of the user.',
      responses: { 200: Application },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await applications.get(caller.userId, params.id)),
    }),
    route('updateApplication', {
      summary: 'Updates an application. A new interactions endpoint is verified first.',
      body: UpdateApplicationBody,
      responses: { 200: Application },
      errors: ['not_found', 'missing_permission', 'redirect_uri_limit'],
      handle: async ({ caller, params, body }) =>
        ok(await applications.update(caller.userId, params.id, body)),
    }),
    declareRoute('updateOwnApplication', {
      summary: 'Changes the display name and avatar of the bot, and the description of its application.',
      tag: 'Bots',
      caller: { bot: true },
      body: UpdateOwnApplicationBody,
      rates: ['images', 'selfDescriptions'],
      responses: { 200: OwnApplication },
      errors: ['not_found', 'limit_reached'],
      handle: async ({ caller, body }) => ok(await bots.describeSelf(caller, body)),
    }),
    route('deleteApplication', {
      summary: 'Deletes an application and its bot, and revokes all its tokens.',
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params }) => noContent(applications.delete(caller.userId, params.id)),
    }),
  ]
}
