import type { Route } from '../../../../http/route.ts'
import type { Database } from '../../../../storage/database.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { Users } from '../../users.ts'
import { formRoute, pageRoute, seeOtherWith } from './form-route.ts'
import { field, type PageDeps } from './visit.ts'

interface Deps extends PageDeps {
  db: Database
  users: Pick<Users, 'findUser' | 'userView'>
  sessions: Pick<Sessions, 'endSession' | 'sessionCookie'>
}

/** Asks before it signs out: a link from elsewhere must not. */
export function logoutPage(deps: Deps): Route {
  return pageRoute(deps, {
    name: 'logout',
    path: '/logout',
    summary: 'The page to sign out',
    caller: { session: true, anyone: true },
    handle: async ({ caller, here }) => {
      const user = caller && (await deps.users.findUser(deps.db, caller.userId))
      const account = user && deps.users.userView(user)
      return here.show({ title: 'Sign out', data: { account } })
    },
  })
}

export function logoutForm(deps: Deps): Route {
  const { db, sessions } = deps
  return formRoute(deps, {
    name: 'logout',
    path: '/logout',
    summary: 'Sign out by the page',
    caller: { session: true, anyone: true },
    handle: async ({ caller, body, here }) => {
      if (caller) await db.transaction(tx => sessions.endSession(tx, caller.sessionId))
      const next = field(body, 'return_to') === '' ? '/login?notice=signed-out' : here.returnTo
      return seeOtherWith(sessions.sessionCookie(null), next)
    },
  })
}
