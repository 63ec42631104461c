import {
  Application,
  CreateApplicationBody,
  CreatedApplication,
  UpdateApplicationBody,
} from '@gatehouse/protocol/applications'
import { PathIds } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { created, noContent, ok, type Route, route } from '../../http/route.ts'
import type { ApplicationRules } from '../index.ts'

const common = { tag: 'Developer console', caller: { session: true } } as const

export function applicationsRoutes({ applications }: { applications: ApplicationRules }): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/api/applications',
      summary: 'Make an application; a confidential one shows its secret this once',
      body: CreateApplicationBody,
      answers: { 201: CreatedApplication },
      errors: ['redirect_uri_limit', 'email_not_verified'],
      handle: async ({ caller, body }) => created(await applications.create(caller.userId, body)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications',
      summary: 'Your applications, oldest first',
      answers: { 200: Type.Array(Application) },
      handle: async ({ caller }) => ok(await applications.list(caller.userId)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications/:id',
      summary: 'One of your applications',
      params: PathIds('id'),
      answers: { 200: Application },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await applications.get(caller.userId, params.id)),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/api/applications/:id',
      summary: 'Change what is named; an interactions endpoint is tried first',
      params: PathIds('id'),
      body: UpdateApplicationBody,
      answers: { 200: Application },
      errors: ['not_found', 'redirect_uri_limit'],
      handle: async ({ caller, params, body }) =>
        ok(await applications.update(caller.userId, params.id, body)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/api/applications/:id',
      summary: 'Delete an application with its bot; revokes all its tokens',
      params: PathIds('id'),
      answers: { 204: null },
      errors: ['not_found'],
      handle: async ({ caller, params }) => {
        await applications.delete(caller.userId, params.id)
        return noContent()
      },
    }),
  ]
}
