import type { Route } from '../../../http/route.ts'
import type { Database } from '../../../storage/database.ts'
import { avatarRoutes } from './avatar.ts'
import type { LoginRouteDeps } from './browser.ts'
import { emailRoutes } from './email.ts'
import { loginRoutes } from './login.ts'
import { forgotPasswordPages } from './pages/forgot-password.ts'
import { languageRoute } from './pages/language.ts'
import { loginPages } from './pages/login.ts'
import { logoutPages } from './pages/logout.ts'
import type { PageDeps } from './pages/page-route.ts'
import { passkeyForm } from './pages/passkey.ts'
import { registerPages } from './pages/register.ts'
import { resetPasswordPages } from './pages/reset-password.ts'
import { secondFactorPages } from './pages/second-factor.ts'
import { verifyEmailPages } from './pages/verify-email.ts'
import { passwordRoutes } from './password.ts'
import { registerRoute } from './register.ts'
import { currentUserRoutes } from './users.ts'

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
