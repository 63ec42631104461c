import { VerifyEmailBody } from '@gatehouse/protocol/users'
import { accepted, noContent, type Route, route } from '../../../http/route.ts'
import type { Users } from '../users.ts'

export function emailRoutes({ users }: { users: Users }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/email/verify',
      operationId: 'verifyEmail',
      summary: 'Verifies an email address, and completes the change to a new one.',
      tag: 'Users',
      // Without a session: the user may read the mail on another device.
      caller: { anonymous: true },
      body: VerifyEmailBody,
      responses: { 204: null },
      errors: ['conflict'],
      rejectCrossSite: true,
      handle: ({ body, request }) => noContent(users.verifyEmail(body.token, request.locale)),
    }),
    route({
      method: 'POST',
      path: '/api/auth/email/resend',
      operationId: 'resendVerificationEmail',
      summary: 'Sends the verification mail again.',
      tag: 'Users',
      caller: { session: true },
      responses: { 202: null },
      handle: async ({ caller, request }) => {
        await users.resendVerification(caller.userId, request)
        return accepted()
      },
    }),
  ]
}
