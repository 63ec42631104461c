import type { Route } from '../../http/route.ts'
import { forgotPasswordPages } from './forgot-password-page.ts'
import { languageRoute } from './language-page.ts'
import { loginPages } from './login-page.ts'
import { logoutPages } from './logout-page.ts'
import type { PageDeps } from './page-route.ts'
import { passkeyForm } from './passkey-page.ts'
import { registerPages } from './register-page.ts'
import { resetPasswordPages } from './reset-password-page.ts'
import { secondFactorPages } from './second-factor-page.ts'
import { verifyEmailPages } from './verify-email-page.ts'

/** The HTML pages for sign-in, registration and password reset. */
export function signInPageRoutes(deps: PageDeps): Route[] {
  return [
    ...loginPages(deps),
    passkeyForm(deps),
    ...secondFactorPages(deps),
    ...registerPages(deps),
    ...forgotPasswordPages(deps),
    ...resetPasswordPages(deps),
    ...verifyEmailPages(deps),
    ...logoutPages(deps),
    languageRoute(deps),
  ]
}
