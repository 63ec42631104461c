import { ConfirmTotpBody, NewRecoveryCodes, RecentProof, TotpSetUp } from '@gatehouse/protocol/second-factor'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import { sessionContext } from './second-factor-routes.ts'
import type { SecondFactorSettings } from './second-factors.ts'

const path = '/api/users/@me/second-factors/totp'

export function totpRoutes({ settings }: { settings: SecondFactorSettings }): Route[] {
  return [
    route({
      method: 'POST',
      path,
      operationId: 'startTotp',
      summary: 'Creates the secret for an authenticator app. It has no effect until it is confirmed.',
      tag: 'Second factor',
      caller: { session: true },
      body: RecentProof,
      responses: { 200: TotpSetUp },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        ok(await settings.startTotp(sessionContext(caller, request), body)),
    }),
    route({
      method: 'POST',
      path: `${path}/confirm`,
      operationId: 'confirmTotp',
      summary:
        'Confirms the authenticator app with a code. The response for a first factor contains recovery codes.',
      tag: 'Second factor',
      caller: { session: true },
      body: ConfirmTotpBody,
      responses: { 200: NewRecoveryCodes },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        ok(await settings.confirmTotp(sessionContext(caller, request), body.code)),
    }),
    route({
      method: 'DELETE',
      path,
      operationId: 'removeTotp',
      summary: 'Removes the authenticator app.',
      tag: 'Second factor',
      caller: { session: true },
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, body, request }) =>
        noContent(settings.removeTotp(sessionContext(caller, request), body)),
    }),
  ]
}
