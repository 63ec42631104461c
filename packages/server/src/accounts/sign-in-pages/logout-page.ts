import type { Route } from '../../http/route.ts'
import { userView } from '../users/user.ts'
import { findUser } from '../users/user-store.ts'
import { field, formRoute, type PageDeps, pageRoute, seeOtherWith } from './page-route.ts'

/** The page asks for confirmation, so that a link on another site cannot sign the user out. */
export function logoutPages(deps: PageDeps): Route[] {
  const { db, sessions } = deps
  return [
    pageRoute(deps, 'logoutPage', {
      name: 'logout',
      summary: 'The sign-out page.',
      caller: { session: true, anonymous: true },
      handle: async ({ caller, page }) => {
        const user = caller && (await findUser(db, caller.userId))
        return page.render({ title: 'logout.title', data: { account: user && userView(user) } })
      },
    }),
    formRoute(deps, 'logoutForm', {
      name: 'logout',
      summary: 'Signs out, from the form.',
      caller: { session: true, anonymous: true },
      handle: async ({ caller, body, page }) => {
        if (caller) await db.transaction(tx => sessions.revokeSession(tx, caller.sessionId))
        const next = field(body, 'return_to') === '' ? '/login?notice=signed-out' : page.returnTo
        return seeOtherWith(sessions.sessionCookie(null), next)
      },
    }),
  ]
}
