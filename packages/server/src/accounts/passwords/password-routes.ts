import { ForgotPasswordBody, ResetPasswordBody } from '@gatehouse/protocol/users'
import { accepted, noContent, type Route, routeGroup } from '../../http/route.ts'
import { requestInfoOf } from '../request-info.ts'
import type { Users } from '../users/users.ts'

const route = routeGroup({ tag: 'Users', caller: { anonymous: true } })

export function passwordRoutes({ users }: { users: Users }): Route[] {
  return [
    route('requestPasswordReset', {
      summary: 'Sends a password reset link. The response does not depend on whether the account exists.',
      body: ForgotPasswordBody,
      responses: { 202: null },
      errors: ['rate_limited'],
      rejectCrossSite: true,
      handle: async ({ body, request }) => {
        await users.forgotPassword(body.email, request)
        return accepted()
      },
    }),
    route('resetPassword', {
      summary: 'Sets a new password with the token of a reset link.',
      body: ResetPasswordBody,
      responses: { 204: null },
      errors: ['account_disabled', 'rate_limited'],
      rejectCrossSite: true,
      handle: ({ body, request }) => noContent(users.resetPassword(body, requestInfoOf(request))),
    }),
  ]
}
