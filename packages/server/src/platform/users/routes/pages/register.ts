import { RegisterBody } from '@gatehouse/protocol/users'
import type { FormBody } from '../../../../http/form.ts'
import type { Route } from '../../../../http/route.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { Users } from '../../users.ts'
import { seenOf, signedInCookies } from '../browser.ts'
import { createFormCheck } from './faults.ts'
import { formRoute, pageRoute, seeOtherWith } from './form-route.ts'
import { field, type PageDeps } from './visit.ts'

interface Deps extends PageDeps {
  users: Pick<Users, 'register' | 'devices' | 'registration'>
  sessions: Pick<Sessions, 'sessionCookie'>
}

const title = 'Create an account'

export function registerPage(deps: Deps): Route {
  const mode = deps.users.registration
  return pageRoute(deps, {
    name: 'register',
    path: '/register',
    summary: 'The page to make an account',
    caller: { anyone: true },
    handle: async ({ query, here }) => {
      const values = { invite: field(query, 'invite') || inviteOf(here.returnTo) }
      return here.show({ title, status: mode === 'closed' ? 403 : 200, values, data: { mode } })
    },
  })
}

/** Whoever comes from an invite has it in the address they return to. */
function inviteOf(returnTo: string): string {
  return /^\/invite\/([^/?#]+)$/.exec(returnTo)?.[1] ?? ''
}

export function registerForm(deps: Deps): Route {
  const { users, sessions, baseUrl } = deps
  const check = createFormCheck<RegisterBody>(RegisterBody)
  return formRoute(deps, {
    name: 'register',
    path: '/register',
    summary: 'Make an account by the page',
    caller: { anyone: true },
    errors: ['registration_closed'],
    handle: async ({ request, body, here }) => {
      try {
        const signedIn = await users.register(check(given(body)), seenOf(request))
        const cookies = signedInCookies(signedIn, { sessions, devices: users.devices, baseUrl })
        // The invite has been used with the registration.
        const used = field(body, 'invite') !== '' && field(body, 'invite') === inviteOf(here.returnTo)
        return seeOtherWith(cookies, used ? '/' : here.returnTo)
      } catch (error) {
        const names = ['username', 'displayName', 'email', 'invite']
        const values = Object.fromEntries(names.map(name => [name, field(body, name)]))
        return here.showFailed({ title, values, data: { mode: users.registration } }, error)
      }
    },
  })
}

/** A field left empty is one left out. */
function given(body: FormBody): RegisterBody {
  const displayName = field(body, 'displayName').trim()
  const invite = field(body, 'invite').trim()
  return {
    username: field(body, 'username'),
    email: field(body, 'email'),
    password: field(body, 'password'),
    ...(displayName === '' ? {} : { displayName }),
    ...(invite === '' ? {} : { invite }),
  }
}
