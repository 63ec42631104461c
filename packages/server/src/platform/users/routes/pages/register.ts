import { RegisterBody } from '@gatehouse/protocol/users'
import type { FormBody } from '../../../../http/form.ts'
import { pageDialect } from '../../../../http/pages.ts'
import { type Route, route, seeOther } from '../../../../http/route.ts'
import type { Sessions } from '../../../sessions/index.ts'
import type { Users } from '../../users.ts'
import { seenOf, signedInCookies } from '../browser.ts'
import { createFormCheck } from './faults.ts'
import { FormFields, formAnswers, PageQuery } from './form-route.ts'
import { field, type PageDeps, visit } from './visit.ts'

interface Deps extends PageDeps {
  users: Pick<Users, 'register' | 'devices' | 'registration'>
  sessions: Pick<Sessions, 'sessionCookie'>
}

const title = 'Create an account'

export function registerPage(deps: Deps): Route {
  const mode = deps.users.registration
  return route({
    method: 'GET',
    path: '/register',
    summary: 'The page to make an account',
    tag: 'Pages',
    caller: { anyone: true },
    query: PageQuery,
    answers: formAnswers,
    dialect: pageDialect(deps.pages),
    handle: async ({ request, query }) => {
      const here = visit(deps, 'register', { request, caller: undefined, given: query })
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
  return route({
    method: 'POST',
    path: '/register',
    summary: 'Make an account by the page',
    tag: 'Pages',
    caller: { anyone: true },
    bodyTypes: ['form'],
    body: FormFields,
    answers: formAnswers,
    errors: ['registration_closed'],
    dialect: pageDialect(deps.pages),
    sameSite: true,
    handle: async ({ request, body }) => {
      const here = visit(deps, 'register', { request, caller: undefined, given: body })
      here.checkForm(body)
      try {
        const signedIn = await users.register(check(given(body)), seenOf(request))
        const cookies = signedInCookies(signedIn, { sessions, devices: users.devices, baseUrl })
        // The invite has been used with the registration.
        const used = field(body, 'invite') !== '' && field(body, 'invite') === inviteOf(here.returnTo)
        const { status, headers } = seeOther(used ? '/' : here.returnTo)
        return { status, headers: { ...headers, 'set-cookie': cookies } }
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
