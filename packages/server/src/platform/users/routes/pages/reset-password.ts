import { ResetPasswordBody } from '@gatehouse/protocol/users'
import { pageDialect } from '../../../../http/pages.ts'
import { type Route, route, seeOther } from '../../../../http/route.ts'
import { AppError } from '../../../../kit/app-error.ts'
import type { Users } from '../../users.ts'
import { createFormCheck } from './faults.ts'
import { FormFields, formAnswers, PageQuery } from './form-route.ts'
import { field, type PageDeps, visit } from './visit.ts'

interface Deps extends PageDeps {
  users: Pick<Users, 'lookAtReset' | 'resetPassword'>
}

const title = 'Choose a new password'

/** Opened from a mail: uses nothing up, since programs that look into mails open links too. */
export function resetPasswordPage(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/reset-password',
    summary: 'The page to choose a new password',
    tag: 'Pages',
    caller: { anyone: true },
    query: PageQuery,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    handle: async ({ request, query }) => {
      const here = visit(deps, 'reset-password', { request, caller: undefined, given: query })
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
  return route({
    method: 'POST',
    path: '/reset-password',
    summary: 'Choose a new password by the page',
    tag: 'Pages',
    caller: { anyone: true },
    bodyTypes: ['form'],
    body: FormFields,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    sameSite: true,
    handle: async ({ request, body }) => {
      const here = visit(deps, 'reset-password', { request, caller: undefined, given: body })
      here.checkForm(body)
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
