import { ForgotPasswordBody, ResetPasswordBody } from '@gatehouse/protocol/users'
import { accepted, noContent, type Route, route } from '../../../http/route.ts'
import type { Users } from '../users.ts'

/** 202 whether there is such an account or not. */
export function forgotRoute({ users }: { users: Pick<Users, 'forgotPassword'> }): Route {
  return route({
    method: 'POST',
    path: '/api/auth/password/forgot',
    summary: 'Have a link for a new password sent',
    tag: 'People',
    caller: { anyone: true },
    body: ForgotPasswordBody,
    answers: { 202: null },
    sameSite: true,
    handle: async ({ body }) => {
      users.forgotPassword(body.email)
      return accepted()
    },
  })
}

/** Ends every session and every token of the person. */
export function resetRoute({ users }: { users: Pick<Users, 'resetPassword'> }): Route {
  return route({
    method: 'POST',
    path: '/api/auth/password/reset',
    summary: 'Choose a new password by a link',
    tag: 'People',
    caller: { anyone: true },
    body: ResetPasswordBody,
    answers: { 204: null },
    sameSite: true,
    handle: async ({ body, request }) => {
      await users.resetPassword(body, { ip: request.ip })
      return noContent()
    },
  })
}
