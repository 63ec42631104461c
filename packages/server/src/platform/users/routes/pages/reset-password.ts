import { ResetPasswordBody } from '@gatehouse/protocol/users'
import { type Route, seeOther } from '../../../../http/route.ts'
import { AppError } from '../../../../kit/app-error.ts'
import type { Users } from '../../users.ts'
import { createFormCheck } from './faults.ts'
import { formRoute, pageRoute } from './form-route.ts'
import { field, type PageDeps } from './visit.ts'

interface Deps extends PageDeps {
  users: Pick<Users, 'lookAtReset' | 'resetPassword'>
}

const title = 'Choose a new password'

/** Opened from a mail: uses nothing up, since programs that look into mails open links too. */
export function resetPasswordPage(deps: Deps): Route {
  return pageRoute(deps, {
    name: 'reset-password',
    path: '/reset-password',
    summary: 'The page to choose a new password',
    caller: { anyone: true },
    handle: async ({ query, here }) => {
      const token = field(query, 'token')
      try {
        await deps.users.lookAtReset(token)
      } catch (error) {
        return here.showFailed({ title, data: { token, spent: true } }, error)
      }
      return here.show({ title, data: { token, spent: false } })
    },
  })
}

export function resetPasswordForm(deps: Deps): Route {
  const check = createFormCheck<ResetPasswordBody>(ResetPasswordBody)
  return formRoute(deps, {
    name: 'reset-password',
    path: '/reset-password',
    summary: 'Choose a new password by the page',
    caller: { anyone: true },
    handle: async ({ request, body, here }) => {
      const token = field(body, 'token')
      try {
        const reset = check({ token, password: field(body, 'password') })
        await deps.users.resetPassword(reset, { ip: request.ip })
      } catch (error) {
        return here.showFailed({ title, data: { token, spent: concernsToken(error) } }, error)
      }
      return seeOther('/login?notice=password-changed')
    },
  })
}

function concernsToken(error: unknown): boolean {
  return error instanceof AppError && (error.errors ?? []).some(fault => fault.path === 'token')
}
