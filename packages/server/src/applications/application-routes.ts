import {
  Application,
  CreateApplicationBody,
  CreatedApplication,
  UpdateApplicationBody,
} from '@gatehouse/protocol/applications'
import { PathIds } from '@gatehouse/protocol/ids'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, route } from '../http/route.ts'
import type { Applications } from './applications.ts'

const common = { tag: 'Developer console', caller: { session: true } } as const

export function applicationsRoutes(applications: Applications): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/api/applications',
      operationId: 'createApplication',
      summary: 'Creates an application. The response for a confidential one contains the client secret.',
      body: CreateApplicationBody,
      rates: ['applications'],
      responses: { 201: CreatedApplication },
      errors: ['redirect_uri_limit', 'email_not_verified', 'limit_reached'],
      handle: async ({ caller, body }) => created(await applications.create(caller.userId, body)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications',
      operationId: 'listApplications',
      summary: 'Lists the applications of the user, oldest first.',
      responses: { 200: list(Application) },
      handle: async ({ caller }) => ok(await applications.list(caller.userId)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications/:id',
      operationId: 'getApplication',
      summary: 'Returns an application of the user.',
      params: PathIds('id'),
      responses: { 200: Application },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await applications.get(caller.userId, params.id)),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/api/applications/:id',
      operationId: 'updateApplication',
      summary: 'Updates an application. A new interactions endpoint is verified first.',
      params: PathIds('id'),
      body: UpdateApplicationBody,
      responses: { 200: Application },
      errors: ['not_found', 'redirect_uri_limit'],
      handle: async ({ caller, params, body }) =>
        ok(await applications.update(caller.userId, params.id, body)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/api/applications/:id',
      operationId: 'deleteApplication',
      summary: 'Deletes an application and its bot, and revokes all its tokens.',
      params: PathIds('id'),
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params }) => noContent(applications.delete(caller.userId, params.id)),
    }),
  ]
}
