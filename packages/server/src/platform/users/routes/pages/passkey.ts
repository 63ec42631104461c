import { PasskeyAssertion } from '@gatehouse/protocol/second-factor'
import type { FormBody } from '../../../../http/form.ts'
import { parseJson } from '../../../../http/json.ts'
import type { Route } from '../../../../http/route.ts'
import type { Sql } from '../../../../storage/database.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { Users } from '../../users.ts'
import { presentSession, seenOf, signedInCookies } from '../browser.ts'
import { createFormCheck } from './faults.ts'
import { formRoute, seeOtherWith } from './form-route.ts'
import { loginPageFor } from './login.ts'
import { field, type PageDeps } from './visit.ts'

interface Deps extends PageDeps {
  db: Sql
  users: Pick<
    Users,
    'signInByPasskey' | 'devices' | 'findUser' | 'userView' | 'registration' | 'passkeyAloneOptions'
  >
  sessions: Pick<Sessions, 'sessionCookie'>
}

/** The other form of the page to sign in: its script fills it with what the browser's passkey answered. */
export function passkeyForm(deps: Deps): Route {
  const { users, sessions, baseUrl } = deps
  const read = createPasskeyReader()
  return formRoute(deps, {
    name: 'login',
    path: '/login/passkey',
    summary: 'Sign in with a passkey by the page',
    caller: { session: true, anyone: true },
    handle: async ({ request, caller, body, here }) => {
      try {
        const given = { passkey: read(body), browser: here.browser }
        const from = { ...seenOf(request), ...presentSession(request, caller, baseUrl) }
        const signedIn = await users.signInByPasskey(given, from)
        const cookies = signedInCookies(signedIn, { sessions, devices: users.devices, baseUrl })
        return seeOtherWith(cookies, here.returnTo)
      } catch (error) {
        return here.showFailed(await loginPageFor(deps, caller, { given: body, here }), error)
      }
    },
  })
}

/** Reads the field `passkey`, which holds JSON. Throws as the JSON route would. */
export function createPasskeyReader(): (form: FormBody) => PasskeyAssertion {
  const check = createFormCheck<unknown>(PasskeyAssertion)
  return form => {
    const given = check(parseJson(Buffer.from(field(form, 'passkey'))) ?? null)
    return given as PasskeyAssertion
  }
}
