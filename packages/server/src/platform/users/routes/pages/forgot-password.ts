import { ForgotPasswordBody } from '@gatehouse/protocol/users'
import { pageDialect } from '../../../../http/pages.ts'
import { type Route, route, seeOther } from '../../../../http/route.ts'
import type { Users } from '../../users.ts'
import { createFormCheck } from './faults.ts'
import { FormFields, formAnswers, PageQuery } from './form-route.ts'
import { field, type PageDeps, visit } from './visit.ts'

const title = 'Forgotten password'

export function forgotPasswordPage(deps: PageDeps): Route {
  return route({
    method: 'GET',
    path: '/forgot-password',
    summary: 'The page to have a link for a new password sent',
    tag: 'Pages',
    caller: { anyone: true },
    query: PageQuery,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    handle: async ({ request, query }) =>
      visit(deps, 'forgot-password', { request, caller: undefined, given: query }).show({
        title,
        data: { sent: field(query, 'notice') === 'sent' },
      }),
  })
}

/** The same answer whether there is such an account or not. */
export function forgotPasswordForm(deps: PageDeps & { users: Pick<Users, 'forgotPassword'> }): Route {
  const check = createFormCheck<ForgotPasswordBody>(ForgotPasswordBody)
  return route({
    method: 'POST',
    path: '/forgot-password',
    summary: 'Have a link for a new password sent by the page',
    tag: 'Pages',
    caller: { anyone: true },
    bodyTypes: ['form'],
    body: FormFields,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    sameSite: true,
    handle: async ({ request, body }) => {
      const here = visit(deps, 'forgot-password', { request, caller: undefined, given: body })
      here.checkForm(body)
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
