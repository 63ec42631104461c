import {
  AddedPasskey,
  AddPasskeyBody,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  RecentProof,
} from '@gatehouse/protocol/second-factor'
import { created, noContent, ok, type Route, routeGroup } from '../../http/route.ts'
import { sessionContext } from './second-factor-routes.ts'
import type { SecondFactorSettings } from './second-factors.ts'

const route = routeGroup({ tag: 'Second factor', caller: { session: true } })

export function passkeyRoutes({ settings }: { settings: SecondFactorSettings }): Route[] {
  return [
    route('createPasskeyOptions', {
      summary: 'Creates the options for `navigator.credentials.create()`.',
      body: RecentProof,
      responses: { 200: PasskeyCreationOptions },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        ok(await settings.createPasskeyOptions(sessionContext(caller, request), body)),
    }),
    route('addPasskey', {
      summary: 'Adds a passkey. The response for a first factor contains recovery codes.',
      body: AddPasskeyBody,
      responses: { 201: AddedPasskey },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        created(await settings.addPasskey(sessionContext(caller, request), body)),
    }),
    route('createPasskeyProofOptions', {
      summary:
        'Creates the options for `navigator.credentials.get()`, to prove with a passkey who ' +
        'changes the second factors.',
      responses: { 200: PasskeyRequestOptions },
      handle: async ({ caller, request }) =>
        ok(await settings.createProofOptions(sessionContext(caller, request))),
    }),
    route('removePasskey', {
      summary: 'Removes a passkey.',
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params, body, request }) =>
        noContent(settings.removePasskey(sessionContext(caller, request), params.id, body)),
    }),
  ]
}
