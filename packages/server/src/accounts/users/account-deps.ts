import type { BackgroundTasks } from '../../kit/background.ts'
import type { Deps } from '../../platform-deps.ts'
import type { SendMail } from '../account-mails.ts'
import type { Passwords } from '../passwords/password-hash.ts'
import type { MfaLogin } from '../second-factor/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { MailTokens } from './mail-tokens.ts'
import type { AccountLimits } from './user-limits.ts'

/** What the operations of this folder share. */
export interface AccountDeps extends Deps {
  passwords: Passwords
  limits: AccountLimits
  mailTokens: MailTokens
  /** Sends in the background. */
  sendMail: (...mail: Parameters<SendMail>) => void
  background: BackgroundTasks
  sessions: Sessions
  mfaLogin: MfaLogin
}
