import type { Route } from '../../../http/route.ts'
import type { Database } from '../../../storage/database.ts'
import type { Sessions } from '../../sessions/index.ts'
import type { Users } from '../users.ts'
import { removeAvatarRoute, setAvatarRoute } from './avatar.ts'
import { resendRoute, verifyRoute } from './email.ts'
import { loginRoute } from './login.ts'
import { meRoute, updateMeRoute } from './me.ts'
import { forgotPasswordForm, forgotPasswordPage } from './pages/forgot-password.ts'
import { loginForm, loginPage } from './pages/login.ts'
import { logoutForm, logoutPage } from './pages/logout.ts'
import { passkeyForm } from './pages/passkey.ts'
import { registerForm, registerPage } from './pages/register.ts'
import { resetPasswordForm, resetPasswordPage } from './pages/reset-password.ts'
import { secondFactorForm, secondFactorPage } from './pages/second-factor.ts'
import { verifyEmailForm, verifyEmailPage } from './pages/verify-email.ts'
import type { PageDeps } from './pages/visit.ts'
import { forgotRoute, resetRoute } from './password.ts'
import { registerRoute } from './register.ts'
import { loginSecondFactorRoutes } from './second-factor.ts'

interface UserRoutesDeps extends PageDeps {
  db: Database
  users: Users
  sessions: Sessions
}

export function userRoutes(deps: UserRoutesDeps): Route[] {
  return [
    registerRoute(deps),
    loginRoute(deps),
    ...loginSecondFactorRoutes(deps),
    verifyRoute(deps),
    resendRoute(deps),
    forgotRoute(deps),
    resetRoute(deps),
    meRoute(deps),
    updateMeRoute(deps),
    setAvatarRoute(deps),
    removeAvatarRoute(deps),
    loginPage(deps),
    loginForm(deps),
    passkeyForm(deps),
    secondFactorPage(deps),
    secondFactorForm(deps),
    registerPage(deps),
    registerForm(deps),
    forgotPasswordPage(deps),
    forgotPasswordForm(deps),
    resetPasswordPage(deps),
    resetPasswordForm(deps),
    verifyEmailPage(deps),
    verifyEmailForm(deps),
    logoutPage(deps),
    logoutForm(deps),
  ]
}
