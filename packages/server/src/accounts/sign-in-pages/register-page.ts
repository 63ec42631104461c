import { minPassword } from '@gatehouse/protocol/limits'
import { RegisterBody } from '@gatehouse/protocol/users'
import type { FormBody } from '../../http/form.ts'
import type { Route } from '../../http/route.ts'
import { loginCookies, loginRequestOf } from '../users/browser-session.ts'
import { createFormValidator } from './form-validation.ts'
import { field, formRoute, type PageDeps, pageRoute, seeOtherWith } from './page-route.ts'

const title = 'register.title'

export function registerPages(deps: PageDeps): Route[] {
  const { users } = deps
  const validate = createFormValidator<RegisterBody>(RegisterBody)
  return [
    pageRoute(deps, 'registerPage', {
      name: 'register',
      summary: 'The registration page.',
      caller: { session: true, anonymous: true },
      handle: async ({ query, page }) => {
        const registration = await users.readRegistration()
        return page.render({
          title,
          status: registration.mode === 'closed' ? 403 : 200,
          values: { invite: field(query, 'invite') || inviteIn(page.returnTo) },
          data: { ...registration, minPassword },
        })
      },
    }),
    formRoute(deps, 'registerForm', {
      name: 'register',
      summary: 'Creates an account, from the form.',
      caller: { session: true, anonymous: true },
      errors: ['registration_closed'],
      handle: async ({ request, caller, body, page }) => {
        try {
          const loginRequest = loginRequestOf(request, caller, deps.baseUrl)
          const result = await users.register(validate(registerBodyOf(body)), loginRequest)
          // The registration has used the invite, so its page would show an error.
          const usedInvite = field(body, 'invite')
          const returnTo = usedInvite !== '' && usedInvite === inviteIn(page.returnTo) ? '/' : page.returnTo
          return seeOtherWith(loginCookies(result, deps), returnTo)
        } catch (error) {
          const names = ['username', 'displayName', 'email', 'invite']
          const values = Object.fromEntries(names.map(name => [name, field(body, name)]))
          const data = { ...(await users.readRegistration()), minPassword }
          return page.renderError({ title, values, data }, error)
        }
      },
    }),
  ]
}

/** The code of the invite if the user comes from an invite page. */
function inviteIn(returnTo: string): string {
  return /^\/invite\/([^/?#]+)(?:\?|$)/.exec(returnTo)?.[1] ?? ''
}

/** An empty optional field counts as omitted. */
function registerBodyOf(body: FormBody): RegisterBody {
  const displayName = field(body, 'displayName').trim()
  const invite = field(body, 'invite').trim()
  const administratorCode = field(body, 'administratorCode').trim()
  return {
    username: field(body, 'username'),
    email: field(body, 'email'),
    password: field(body, 'password'),
    ...(displayName === '' ? {} : { displayName }),
    ...(invite === '' ? {} : { invite }),
    ...(administratorCode === '' ? {} : { administratorCode }),
  }
}
