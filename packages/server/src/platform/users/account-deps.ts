import type { BackgroundTasks } from '../../kit/background.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Mail } from '../../mail/mailer.ts'
import type { Database } from '../../storage/database.ts'
import type { MfaLogin } from '../second-factor/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AccountLimits } from './limits.ts'
import type { MailTokens } from './mail-tokens.ts'
import type { Mails } from './mails.ts'
import type { Passwords } from './password-hash.ts'
import type { UserEvents } from './user.ts'

/** The dependencies that the operations of this folder share. */
export interface AccountDeps extends UserEvents {
  db: Database
  clock: Clock
  ids: () => string
  passwords: Passwords
  limits: AccountLimits
  mails: Mails
  mailTokens: MailTokens
  /** Sends in the background. */
  sendMail: (mail: Mail) => void
  background: BackgroundTasks
  sessions: Sessions
  mfaLogin: MfaLogin
}
