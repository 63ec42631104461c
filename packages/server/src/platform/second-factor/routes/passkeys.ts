import { PathIds } from '@gatehouse/protocol/ids'
import {
  AddedPasskey,
  AddPasskeyBody,
  PasskeyCreationOptions,
  RecentProof,
} from '@gatehouse/protocol/second-factor'
import { created, noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Factors } from '../factors.ts'
import { own, ownerOf } from './owner.ts'

type Deps = { factors: Pick<Factors, 'passkeyOptions' | 'addPasskey' | 'removePasskey'> }

export function passkeyRoutes({ factors }: Deps): Route[] {
  const path = '/api/users/@me/second-factors/passkeys'
  return [
    route({
      ...own,
      method: 'POST',
      path: `${path}/options`,
      summary: 'What the browser makes a passkey from',
      body: RecentProof,
      answers: { 200: PasskeyCreationOptions },
      errors: ['conflict'],
      handle: async ({ caller, body, request }) =>
        ok(await factors.passkeyOptions(ownerOf(caller, request), body?.currentPassword)),
    }),
    route({
      ...own,
      method: 'POST',
      path,
      summary: 'Add the passkey; with the first factor, recovery codes are shown this once',
      body: AddPasskeyBody,
      answers: { 201: AddedPasskey },
      errors: ['conflict'],
      handle: async ({ caller, body, request }) =>
        created(await factors.addPasskey(ownerOf(caller, request), body)),
    }),
    route({
      ...own,
      method: 'DELETE',
      path: `${path}/:id`,
      summary: 'Remove a passkey',
      params: PathIds('id'),
      body: RecentProof,
      answers: { 204: null },
      errors: ['not_found'],
      handle: async ({ caller, params, body, request }) => {
        await factors.removePasskey(ownerOf(caller, request), params.id, body?.currentPassword)
        return noContent()
      },
    }),
  ]
}
