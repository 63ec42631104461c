import type { Route } from '../../http/route.ts'
import type { Database } from '../../storage/database.ts'
import { passwordRoutes } from '../passwords/password-routes.ts'
import { forgotPasswordPages } from '../sign-in-pages/forgot-password-page.ts'
import { languageRoute } from '../sign-in-pages/language-page.ts'
import { loginPages } from '../sign-in-pages/login-page.ts'
import { logoutPages } from '../sign-in-pages/logout-page.ts'
import type { PageDeps } from '../sign-in-pages/page-route.ts'
import { passkeyForm } from '../sign-in-pages/passkey-page.ts'
import { registerPages } from '../sign-in-pages/register-page.ts'
import { resetPasswordPages } from '../sign-in-pages/reset-password-page.ts'
import { secondFactorPages } from '../sign-in-pages/second-factor-page.ts'
import { verifyEmailPages } from '../sign-in-pages/verify-email-page.ts'
import { avatarRoutes } from './avatar-routes.ts'
import type { LoginRouteDeps } from './browser-session.ts'
import { emailRoutes } from './email-routes.ts'
import { loginRoutes } from './login-routes.ts'
import { registerRoute } from './register-routes.ts'
import { currentUserRoutes } from './user-routes.ts'

export function userRoutes(deps: LoginRouteDeps & { db: Database }): Route[] {
  return [
    registerRoute(deps),
    ...loginRoutes(deps),
    ...emailRoutes(deps),
    ...passwordRoutes(deps),
    ...currentUserRoutes(deps),
    ...avatarRoutes(deps),
  ]
}

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
