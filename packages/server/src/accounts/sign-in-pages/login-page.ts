import { LoginBody } from '@gatehouse/protocol/users'
import type { SessionCaller } from '../../http/caller.ts'
import type { FormBody } from '../../http/form.ts'
import type { Route } from '../../http/route.ts'
import type { Key } from '../../i18n/en.ts'
import { loginCookies, loginRequestOf, ticketCookie } from '../users/browser-session.ts'
import { userView } from '../users/user.ts'
import { findUser } from '../users/user-store.ts'
import { createFormValidator } from './form-validation.ts'
import { field, formRoute, type PageDeps, type PageRequest, pageRoute, seeOtherWith } from './page-route.ts'

const notices = new Map<string, Key>([
  ['took-too-long', 'login.expired'],
  ['signed-out', 'login.signedOut'],
  ['password-changed', 'login.passwordChanged'],
])

/** OAuth authorization requests and the web client redirect to this page. */
export function loginPages(deps: PageDeps): Route[] {
  const { users, baseUrl } = deps
  const validate = createFormValidator<LoginBody>(LoginBody)
  return [
    pageRoute(deps, 'loginPage', {
      name: 'login',
      summary: 'The sign-in page.',
      caller: { session: true, anonymous: true },
      handle: async ({ caller, query, page }) => {
        const content = await loginContent(deps, caller, { fields: query, page })
        const { again, account } = content.data
        const login = field(query, 'login_hint') || (again ? (account?.username ?? '') : '')
        return page.render({
          ...content,
          values: { login: login.toWellFormed() },
          data: { ...content.data, notice: notices.get(field(query, 'notice')) },
        })
      },
    }),
    formRoute(deps, 'loginForm', {
      name: 'login',
      summary: 'Signs in with a password, from the form.',
      caller: { session: true, anonymous: true },
      handle: async ({ request, caller, body, page }) => {
        try {
          const { login, password } = validate({
            login: field(body, 'login'),
            password: field(body, 'password'),
          })
          const result = await users.login(login, password, loginRequestOf(request, caller, baseUrl))
          if ('ticket' in result) {
            const cookie = ticketCookie(baseUrl, result.ticket)
            return seeOtherWith(cookie, `/login/second-factor${page.returnToQuery}`)
          }
          return seeOtherWith(loginCookies(result, deps), page.returnTo)
        } catch (error) {
          const content = await loginContent(deps, caller, { fields: body, page })
          return page.renderError({ ...content, values: { login: field(body, 'login') } }, error)
        }
      },
    }),
  ]
}

export async function loginContent(
  { db, users }: PageDeps,
  caller: SessionCaller | undefined,
  { fields, page }: { fields: FormBody; page: PageRequest },
) {
  const again = field(fields, 'reauthenticate') === '1'
  const user = caller && (await findUser(db, caller.userId))
  const { mode } = await users.readRegistration()
  return {
    title: again ? ('login.reauthenticateTitle' as const) : ('login.title' as const),
    script: true,
    data: {
      again,
      account: user && userView(user),
      mayRegister: mode !== 'closed',
      passkey: JSON.stringify(users.createPasskeyLoginOptions(page.browserId)),
    },
  }
}
