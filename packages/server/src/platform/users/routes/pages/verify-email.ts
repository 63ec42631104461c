import { type Route, seeOther } from '../../../../http/route.ts'
import type { Users } from '../../users.ts'
import { formRoute, pageRoute } from './form-route.ts'
import { field, type PageDeps } from './visit.ts'

interface Deps extends PageDeps {
  users: Pick<Users, 'lookAtVerification' | 'verifyEmail'>
}

const title = 'Confirm your mail address'

/** Opened from a mail: a button confirms, since programs that look into mails open links too. */
export function verifyEmailPage(deps: Deps): Route {
  return pageRoute(deps, {
    name: 'verify-email',
    path: '/verify-email',
    summary: 'The page to confirm a mail address',
    caller: { anyone: true },
    handle: async ({ query, here }) => {
      if (field(query, 'notice') === 'confirmed') return here.show({ title, data: { state: 'confirmed' } })
      const token = field(query, 'token')
      try {
        await deps.users.lookAtVerification(token)
      } catch (error) {
        return here.showFailed({ title, data: { state: 'spent' } }, error)
      }
      return here.show({ title, data: { state: 'asked', token } })
    },
  })
}

export function verifyEmailForm(deps: Deps): Route {
  return formRoute(deps, {
    name: 'verify-email',
    path: '/verify-email',
    summary: 'Confirm a mail address by the page',
    caller: { anyone: true },
    handle: async ({ body, here }) => {
      try {
        await deps.users.verifyEmail(field(body, 'token'))
      } catch (error) {
        return here.showFailed({ title, data: { state: 'spent' } }, error)
      }
      return seeOther('/verify-email?notice=confirmed')
    },
  })
}
