import { LoginBody } from '@gatehouse/protocol/users'
import type { SessionCaller } from '../../../../http/caller.ts'
import type { FormBody } from '../../../../http/form.ts'
import type { Route } from '../../../../http/route.ts'
import type { Sql } from '../../../../storage/database.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { Users } from '../../users.ts'
import { knownFrom, presentSession, seenOf, signedInCookies, ticketCookie } from '../browser.ts'
import { createFormCheck } from './faults.ts'
import { formRoute, pageRoute, seeOtherWith } from './form-route.ts'
import { field, type PageDeps, type Visit } from './visit.ts'

interface Deps extends PageDeps {
  db: Sql
  users: Pick<Users, 'signIn' | 'devices' | 'findUser' | 'userView' | 'registration' | 'passkeyAloneOptions'>
  sessions: Pick<Sessions, 'sessionCookie'>
}

const notices: Readonly<Record<string, string>> = {
  'took-too-long': 'That took too long. Sign in again.',
  'signed-out': 'You are signed out.',
  'password-changed': 'Your password is changed. Sign in with the new one.',
}

/** Where applications and the web client send people: who is signed in, and the form to sign in (D78). */
export function loginPage(deps: Deps): Route {
  return pageRoute(deps, {
    name: 'login',
    path: '/login',
    summary: 'The page to sign in',
    caller: { session: true, anyone: true },
    handle: async ({ caller, query, here }) => {
      const page = await loginPageFor(deps, caller, { given: query, here })
      const login = field(query, 'login_hint') || (page.data.again ? (page.data.account?.username ?? '') : '')
      const notice = notices[field(query, 'notice')]
      return here.show({
        ...page,
        values: { login: login.toWellFormed() },
        data: { ...page.data, notice },
      })
    },
  })
}

/** What the page says whether or not something went wrong before. */
export async function loginPageFor(
  {
    db,
    users,
  }: { db: Sql; users: Pick<Users, 'findUser' | 'userView' | 'registration' | 'passkeyAloneOptions'> },
  caller: SessionCaller | undefined,
  { given, here }: { given: FormBody; here: Pick<Visit, 'browser'> },
) {
  const again = field(given, 'reauthenticate') === '1'
  const user = caller && (await users.findUser(db, caller.userId))
  const account = user && users.userView(user)
  return {
    title: again ? 'Confirm that it is you' : 'Sign in',
    script: true,
    data: {
      again,
      account,
      mayRegister: users.registration !== 'closed',
      passkey: JSON.stringify(users.passkeyAloneOptions(here.browser)),
    },
  }
}

export function loginForm(deps: Deps): Route {
  const { users, sessions, baseUrl } = deps
  const { devices } = users
  const check = createFormCheck<LoginBody>(LoginBody)
  return formRoute(deps, {
    name: 'login',
    path: '/login',
    summary: 'Sign in by the page',
    caller: { session: true, anyone: true },
    handle: async ({ request, caller, body, here }) => {
      try {
        const given = check({ login: field(body, 'login'), password: field(body, 'password') })
        const signedIn = await users.signIn(given.login, given.password, {
          ...seenOf(request),
          ...presentSession(request, caller, baseUrl),
          known: knownFrom(request, { devices, baseUrl }),
          browser: here.browser,
        })
        if ('ticket' in signedIn) {
          const cookie = ticketCookie(baseUrl, signedIn.ticket)
          return seeOtherWith(cookie, `/login/second-factor${here.onward}`)
        }
        const cookies = signedInCookies(signedIn, { sessions, devices, baseUrl })
        return seeOtherWith(cookies, here.returnTo)
      } catch (error) {
        const page = await loginPageFor(deps, caller, { given: body, here })
        return here.showFailed({ ...page, values: { login: field(body, 'login') } }, error)
      }
    },
  })
}
