import { PathIds } from '@gatehouse/protocol/ids'
import {
  AddedPasskey,
  AddPasskeyBody,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  RecentProof,
} from '@gatehouse/protocol/second-factor'
import { created, noContent, ok, type Route, route } from '../../http/route.ts'
import { sessionContext } from './second-factor-routes.ts'
import type { SecondFactorSettings } from './second-factors.ts'

const path = '/api/users/@me/second-factors/passkeys'

export function passkeyRoutes({ settings }: { settings: SecondFactorSettings }): Route[] {
  return [
    route({
      method: 'POST',
      path: `${path}/options`,
      operationId: 'createPasskeyOptions',
      summary: 'Creates the options for `navigator.credentials.create()`.',
      tag: 'Second factor',
      caller: { session: true },
      body: RecentProof,
      responses: { 200: PasskeyCreationOptions },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        ok(await settings.createPasskeyOptions(sessionContext(caller, request), body)),
    }),
    route({
      method: 'POST',
      path,
      operationId: 'addPasskey',
      summary: 'Adds a passkey. The response for a first factor contains recovery codes.',
      tag: 'Second factor',
      caller: { session: true },
      body: AddPasskeyBody,
      responses: { 201: AddedPasskey },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        created(await settings.addPasskey(sessionContext(caller, request), body)),
    }),
    route({
      method: 'POST',
      path: `${path}/request-options`,
      operationId: 'createPasskeyProofOptions',
      summary:
        'Creates the options for `navigator.credentials.get()`, to prove with a passkey who changes the second factors.',
      tag: 'Second factor',
      caller: { session: true },
      responses: { 200: PasskeyRequestOptions },
      handle: async ({ caller, request }) =>
        ok(await settings.createProofOptions(sessionContext(caller, request))),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'removePasskey',
      summary: 'Removes a passkey.',
      tag: 'Second factor',
      caller: { session: true },
      params: PathIds('id'),
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params, body, request }) =>
        noContent(settings.removePasskey(sessionContext(caller, request), params.id, body)),
    }),
  ]
}
