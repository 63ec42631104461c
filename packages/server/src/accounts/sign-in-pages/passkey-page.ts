import { PasskeyAssertion } from '@gatehouse/protocol/second-factor'
import type { FormBody } from '../../http/form.ts'
import { parseJson } from '../../http/json.ts'
import type { Route } from '../../http/route.ts'
import { loginCookies, loginRequestOf } from '../users/browser-session.ts'
import { createFormValidator } from './form-validation.ts'
import { loginContent } from './login-page.ts'
import { field, formRoute, type PageDeps, seeOtherWith } from './page-route.ts'

/** The passkey form of the login page. Its script submits it with the response of the authenticator. */
export function passkeyForm(deps: PageDeps): Route {
  const { users, baseUrl } = deps
  const readPasskey = createPasskeyReader()
  return formRoute(deps, 'passkeyForm', {
    name: 'login',
    page: 'loginPage',
    summary: 'Signs in with a passkey, from the form.',
    caller: { session: true, anonymous: true },
    handle: async ({ request, caller, body, page }) => {
      try {
        const loginRequest = loginRequestOf(request, caller, baseUrl)
        const result = await users.loginWithPasskey(readPasskey(body), loginRequest)
        return seeOtherWith(loginCookies(result, deps), page.returnTo)
      } catch (error) {
        return page.renderError(await loginContent(deps, caller, { fields: body, page }), error)
      }
    },
  })
}

/** Reads the JSON in the field `passkey`. Throws like the JSON route. */
export function createPasskeyReader(): (form: FormBody) => PasskeyAssertion {
  const validate = createFormValidator<unknown>(PasskeyAssertion)
  return form => {
    const validated = validate(parseJson(Buffer.from(field(form, 'passkey'))) ?? null)
    return validated as PasskeyAssertion
  }
}
