import { ForgotPasswordBody, ResetPasswordBody } from '@gatehouse/protocol/users'
import { accepted, noContent, type Route, route } from '../../http/route.ts'
import type { Users } from '../users/users.ts'

export function passwordRoutes({ users }: { users: Users }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/password/forgot',
      operationId: 'requestPasswordReset',
      summary: 'Sends a password reset link. The response does not depend on whether the account exists.',
      tag: 'Users',
      caller: { anonymous: true },
      body: ForgotPasswordBody,
      responses: { 202: null },
      errors: ['rate_limited'],
      rejectCrossSite: true,
      handle: async ({ body, request }) => {
        await users.forgotPassword(body.email, request)
        return accepted()
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/password/reset',
      operationId: 'resetPassword',
      summary: 'Sets a new password with the token of a reset link.',
      tag: 'Users',
      caller: { anonymous: true },
      body: ResetPasswordBody,
      responses: { 204: null },
      errors: ['rate_limited'],
      rejectCrossSite: true,
      handle: ({ body, request }) =>
        noContent(users.resetPassword(body, { ip: request.ip, locale: request.locale })),
    }),
  ]
}
