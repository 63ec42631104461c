import { pageDialect } from '../../../../http/pages.ts'
import { type Route, route, seeOther } from '../../../../http/route.ts'
import type { Database } from '../../../../storage/database.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { Users } from '../../users.ts'
import { FormFields, formAnswers, PageQuery } from './form-route.ts'
import { field, type PageDeps, visit } from './visit.ts'

interface Deps extends PageDeps {
  db: Database
  users: Pick<Users, 'findUser' | 'userView'>
  sessions: Pick<Sessions, 'endSession' | 'sessionCookie'>
}

/** Asks before it signs out: a link from elsewhere must not. */
export function logoutPage(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/logout',
    summary: 'The page to sign out',
    tag: 'Pages',
    caller: { session: true, anyone: true },
    query: PageQuery,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    handle: async ({ request, caller, query }) => {
      const user = caller && (await deps.users.findUser(deps.db, caller.userId))
      const account = user && deps.users.userView(user)
      return visit(deps, 'logout', { request, caller, given: query }).show({
        title: 'Sign out',
        data: { account },
      })
    },
  })
}

export function logoutForm(deps: Deps): Route {
  const { db, sessions } = deps
  return route({
    method: 'POST',
    path: '/logout',
    summary: 'Sign out by the page',
    tag: 'Pages',
    caller: { session: true, anyone: true },
    bodyTypes: ['form'],
    body: FormFields,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    sameSite: true,
    handle: async ({ request, caller, body }) => {
      const here = visit(deps, 'logout', { request, caller, given: body })
      here.checkForm(body)
      if (caller) await db.transaction(tx => sessions.endSession(tx, caller.sessionId))
      const { status, headers } = seeOther(
        field(body, 'return_to') === '' ? '/login?notice=signed-out' : here.returnTo,
      )
      return { status, headers: { ...headers, 'set-cookie': sessions.sessionCookie(null) } }
    },
  })
}
