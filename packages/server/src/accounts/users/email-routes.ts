import { VerifyEmailBody } from '@gatehouse/protocol/users'
import { accepted, noContent, type Route, route } from '../../http/route.ts'
import { requestInfoOf } from '../request-info.ts'
import type { Users } from './users.ts'

export function emailRoutes({ users }: { users: Users }): Route[] {
  return [
    route('verifyEmail', {
      summary:
        'Verifies an email address. Completes the change to a new one, in a session of the user who changes it.',
      tag: 'Users',
      caller: { session: true, anonymous: true },
      body: VerifyEmailBody,
      responses: { 204: null },
      errors: ['conflict', 'unauthenticated'],
      rejectCrossSite: true,
      handle: ({ caller, body, request }) =>
        noContent(users.verifyEmail(body.token, { ...requestInfoOf(request), callerId: caller?.userId })),
    }),
    route('resendVerificationEmail', {
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
