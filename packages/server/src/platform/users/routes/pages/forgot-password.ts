import { ForgotPasswordBody } from '@gatehouse/protocol/users'
import { type Route, seeOther } from '../../../../http/route.ts'
import type { Users } from '../../users.ts'
import { createFormCheck } from './faults.ts'
import { formRoute, pageRoute } from './form-route.ts'
import { field, type PageDeps } from './visit.ts'

const title = 'Forgotten password'

export function forgotPasswordPage(deps: PageDeps): Route {
  return pageRoute(deps, {
    name: 'forgot-password',
    path: '/forgot-password',
    summary: 'The page to have a link for a new password sent',
    caller: { anyone: true },
    handle: async ({ query, here }) =>
      here.show({ title, data: { sent: field(query, 'notice') === 'sent' } }),
  })
}

/** The same answer whether there is such an account or not. */
export function forgotPasswordForm(deps: PageDeps & { users: Pick<Users, 'forgotPassword'> }): Route {
  const check = createFormCheck<ForgotPasswordBody>(ForgotPasswordBody)
  return formRoute(deps, {
    name: 'forgot-password',
    path: '/forgot-password',
    summary: 'Have a link for a new password sent by the page',
    caller: { anyone: true },
    handle: async ({ body, here }) => {
      try {
        deps.users.forgotPassword(check({ email: field(body, 'email') }).email)
      } catch (error) {
        const page = { title, values: { email: field(body, 'email') }, data: { sent: false } }
        return here.showFailed(page, error)
      }
      const query = here.onward === '' ? '?notice=sent' : `${here.onward}&notice=sent`
      return seeOther(`/forgot-password${query}`)
    },
  })
}
