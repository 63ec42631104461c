import { AdminHealth } from '@gatehouse/protocol/administration'
import { noContent, ok, type Route, routeGroup } from '../http/route.ts'
import type { AdminHealth as Health } from './admin-health.ts'
import type { AdminUsers } from './admin-users.ts'

export function adminHealthRoutes({
  adminUsers,
  adminHealth,
}: {
  adminUsers: Pick<AdminUsers, 'beforeBody'>
  adminHealth: Health
}): Route[] {
  const route = routeGroup({
    tag: 'Administration',
    caller: { session: true },
    beforeBody: adminUsers.beforeBody,
  })
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
      handle: ({ caller, request }) => noContent(adminHealth.sendTestMail(caller.userId, request.locale)),
    }),
  ]
}
