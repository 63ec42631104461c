// Owns user and bot accounts, their passwords, second factors and sign-in sessions, and the sign-in pages.
// Does not own: access tokens (oauth/), applications, servers and invites, which subscribe to the events of accounts.
import type { Module } from '../events/module.ts'
import type { Logger } from '../http/log.ts'
import type { OnClose } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import { passwordRoutes } from './passwords/password-routes.ts'
import {
  createMfaLogin,
  createSecondFactorSettings,
  type MfaLogin,
  sweepSecondFactors,
} from './second-factor/index.ts'
import { passkeyRoutes } from './second-factor/passkey-routes.ts'
import { recoveryCodesRoute } from './second-factor/recovery-code-routes.ts'
import { scriptRoute } from './second-factor/script-routes.ts'
import { secondFactorRoute } from './second-factor/second-factor-routes.ts'
import { totpRoutes } from './second-factor/totp-routes.ts'
import { createSecurityLog, type SecurityLog } from './security-log/index.ts'
import { securityLogRoute } from './security-log/security-log-routes.ts'
import { createSessions, type Sessions } from './sessions/index.ts'
import { logoutRoute } from './sessions/logout-routes.ts'
import { sessionRoutes } from './sessions/session-routes.ts'
import { avatarRoutes } from './users/avatar-routes.ts'
import { emailRoutes } from './users/email-routes.ts'
import {
  type CostParameters,
  createPasswords,
  createUsers,
  findUser,
  type Passwords,
  sweepUsers,
  type Users,
  type UsersDeps,
} from './users/index.ts'
import { loginRoutes } from './users/login-routes.ts'
import { registerRoute } from './users/register-routes.ts'
import { currentUserRoutes } from './users/user-routes.ts'

interface AccountsDeps
  extends Omit<UsersDeps, 'passwords' | 'sessions' | 'mfaLogin' | 'securityLog' | 'onError'> {
  sealer: Sealer
  secretKey: Uint8Array
  logger: Pick<Logger, 'info' | 'error'>
  onClose: OnClose
  passwordCosts: CostParameters | undefined
}

export interface Accounts {
  users: Users
  sessions: Sessions
  passwords: Passwords
  mfaLogin: MfaLogin
  securityLog: SecurityLog
}

export function createAccountsModule(deps: AccountsDeps): Module<Accounts> {
  const { db, clock, baseUrl, logger, onClose } = deps
  const securityLog = createSecurityLog(deps)
  const sessions = createSessions({ ...deps, securityLog })
  const passwords = createPasswords(deps.passwordCosts)
  const mfaLogin = createMfaLogin({ ...deps, findUser, securityLog })
  const users = createUsers({
    ...deps,
    sessions,
    mfaLogin,
    passwords,
    securityLog,
    onError: err => logger.error({ err }, 'a background task of the accounts failed'),
  })
  onClose(() => users.idle())
  const settings = createSecondFactorSettings({
    ...deps,
    findUser,
    sessions,
    securityLog,
    proofs: users.proofs,
  })
  const login = { users, sessions, baseUrl }
  return {
    api: { users, sessions, passwords, mfaLogin, securityLog },
    routes: [
      registerRoute(login),
      ...loginRoutes(login),
      ...emailRoutes(login),
      ...passwordRoutes(login),
      ...currentUserRoutes({ ...login, db }),
      ...avatarRoutes(login),
      logoutRoute({ db, sessions }),
      ...sessionRoutes({ sessions, baseUrl }),
      securityLogRoute({ securityLog }),
      secondFactorRoute({ settings }),
      ...totpRoutes({ settings }),
      ...passkeyRoutes({ settings }),
      recoveryCodesRoute({ settings }),
      scriptRoute(),
    ],
    sweeps: [() => sweepUsers(db, clock), () => sweepSecondFactors(db, clock), securityLog.sweep],
    subscribers: [
      {
        name: 'second-factor',
        handlers: { PasswordChanged: (tx, { userId }) => mfaLogin.revokeMfaTickets(tx, userId) },
      },
    ],
  }
}
