import { ConfirmTotpBody, NewRecoveryCodes, RecentProof, TotpSetUp } from '@gatehouse/protocol/second-factor'
import { noContent, ok, type Route, routeGroup } from '../../http/route.ts'
import { sessionContext } from './second-factor-routes.ts'
import type { SecondFactorSettings } from './second-factors.ts'

const route = routeGroup({ tag: 'Second factor', caller: { session: true } })

export function totpRoutes({ settings }: { settings: SecondFactorSettings }): Route[] {
  return [
    route('startTotp', {
      summary: 'Creates the secret for an authenticator app. It has no effect until it is confirmed.',
      body: RecentProof,
      responses: { 200: TotpSetUp },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        ok(await settings.startTotp(sessionContext(caller, request), body)),
    }),
    route('confirmTotp', {
      summary:
        'Confirms the authenticator app with a code. The response for a first factor contains recovery codes.',
      body: ConfirmTotpBody,
      responses: { 200: NewRecoveryCodes },
      errors: ['conflict', 'email_not_verified'],
      handle: async ({ caller, body, request }) =>
        ok(await settings.confirmTotp(sessionContext(caller, request), body.code)),
    }),
    route('removeTotp', {
      summary: 'Removes the authenticator app.',
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, body, request }) =>
        noContent(settings.removeTotp(sessionContext(caller, request), body)),
    }),
  ]
}
