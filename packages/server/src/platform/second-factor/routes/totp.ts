import { ConfirmTotpBody, NewRecoveryCodes, RecentProof, TotpSetUp } from '@gatehouse/protocol/second-factor'
import { noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Factors } from '../factors.ts'
import { own, ownerOf } from './owner.ts'

type Deps = { factors: Pick<Factors, 'beginTotp' | 'confirmTotp' | 'removeTotp'> }

export function totpRoutes({ factors }: Deps): Route[] {
  const path = '/api/users/@me/second-factors/totp'
  return [
    route({
      ...own,
      method: 'POST',
      path,
      summary: 'Begin with an authenticator app; it counts once it has shown a code',
      body: RecentProof,
      answers: { 200: TotpSetUp },
      errors: ['conflict'],
      handle: async ({ caller, body, request }) =>
        ok(await factors.beginTotp(ownerOf(caller, request), body?.currentPassword)),
    }),
    route({
      ...own,
      method: 'POST',
      path: `${path}/confirm`,
      summary: 'The first code of the app; with the first factor, recovery codes are shown this once',
      body: ConfirmTotpBody,
      answers: { 200: NewRecoveryCodes },
      errors: ['conflict'],
      handle: async ({ caller, body, request }) =>
        ok(await factors.confirmTotp(ownerOf(caller, request), body.code)),
    }),
    route({
      ...own,
      method: 'DELETE',
      path,
      summary: 'Remove the authenticator app',
      body: RecentProof,
      answers: { 204: null },
      errors: ['not_found'],
      handle: async ({ caller, body, request }) => {
        await factors.removeTotp(ownerOf(caller, request), body?.currentPassword)
        return noContent()
      },
    }),
  ]
}
