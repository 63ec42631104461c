import { AdminHealth } from '@gatehouse/protocol/administration'
import { noContent, ok, type Route } from '../http/route.ts'
import type { AdminHealth as Health } from './admin-health.ts'
import type { AdminRoute } from './admin-route.ts'

export function adminHealthRoutes({
  route,
  adminHealth,
}: {
  route: AdminRoute
  adminHealth: Health
}): Route[] {
  return [
    route('getAdminHealth', {
      summary:
        'Returns whether the database, the bus, mails and the disk work, and when the last backup was made.',
      responses: { 200: AdminHealth },
      errors: ['not_found'],
      handle: async () => ok(await adminHealth.read()),
    }),
    route('sendTestMail', {
      summary: 'Sends a mail to the address of the caller, and waits until the mail server has accepted it.',
      responses: { 204: null },
      errors: ['not_found', 'mail_failed'],
      rates: ['testMails'],
      handle: ({ caller, request }) => noContent(adminHealth.sendTestMail(caller, request.locale)),
    }),
  ]
}
