import { pageDialect } from '../../../../http/pages.ts'
import { type Route, route, seeOther } from '../../../../http/route.ts'
import type { Users } from '../../users.ts'
import { FormFields, formAnswers, PageQuery } from './form-route.ts'
import { field, type PageDeps, visit } from './visit.ts'

interface Deps extends PageDeps {
  users: Pick<Users, 'lookAtVerification' | 'verifyEmail'>
}

const title = 'Confirm your mail address'

/** Opened from a mail: a button confirms, since programs that look into mails open links too. */
export function verifyEmailPage(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/verify-email',
    summary: 'The page to confirm a mail address',
    tag: 'Pages',
    caller: { anyone: true },
    query: PageQuery,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    handle: async ({ request, query }) => {
      const here = visit(deps, 'verify-email', { request, caller: undefined, given: query })
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
  return route({
    method: 'POST',
    path: '/verify-email',
    summary: 'Confirm a mail address by the page',
    tag: 'Pages',
    caller: { anyone: true },
    bodyTypes: ['form'],
    body: FormFields,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    sameSite: true,
    handle: async ({ request, body }) => {
      const here = visit(deps, 'verify-email', { request, caller: undefined, given: body })
      here.checkForm(body)
      try {
        await deps.users.verifyEmail(field(body, 'token'))
      } catch (error) {
        return here.showFailed({ title, data: { state: 'spent' } }, error)
      }
      return seeOther('/verify-email?notice=confirmed')
    },
  })
}
