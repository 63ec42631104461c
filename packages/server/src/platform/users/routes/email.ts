import { VerifyEmailBody } from '@gatehouse/protocol/users'
import { accepted, noContent, type Route, route } from '../../../http/route.ts'
import type { Users } from '../users.ts'

/** Anyone: the mail may be read on another device than the one that is signed in. */
export function verifyRoute({ users }: { users: Pick<Users, 'verifyEmail'> }): Route {
  return route({
    method: 'POST',
    path: '/api/auth/email/verify',
    summary: 'Confirm a mail address',
    tag: 'People',
    caller: { anyone: true },
    body: VerifyEmailBody,
    answers: { 204: null },
    sameSite: true,
    handle: async ({ body }) => {
      await users.verifyEmail(body.token)
      return noContent()
    },
  })
}

export function resendRoute({ users }: { users: Pick<Users, 'resendVerification'> }): Route {
  return route({
    method: 'POST',
    path: '/api/auth/email/resend',
    summary: 'Send the mail that confirms the address again',
    tag: 'People',
    caller: { session: true },
    answers: { 202: null },
    handle: async ({ caller }) => {
      await users.resendVerification(caller.userId)
      return accepted()
    },
  })
}
