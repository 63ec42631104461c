import type { DomainEventPublisher } from '../../events/domain-events.ts'
import type { Events } from '../../events/gateway-events.ts'
import type { BackgroundTasks } from '../../kit/background.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database } from '../../storage/database.ts'
import type { SendMail } from '../account-mails.ts'
import type { Passwords } from '../passwords/password-hash.ts'
import type { MfaLogin } from '../second-factor/index.ts'
import type { SecurityLog } from '../security-log/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { KnownDevices } from './known-devices.ts'
import type { MailTokens } from './mail-tokens.ts'
import type { AccountLimits } from './user-limits.ts'

/** What the operations of this folder share. */
export interface AccountDeps {
  db: Database
  clock: Clock
  /** Makes a new snowflake. */
  ids: () => string
  events: Events
  domainEvents: DomainEventPublisher
  passwords: Passwords
  limits: AccountLimits
  mailTokens: MailTokens
  /** Sends in the background. */
  sendMail: (...mail: Parameters<SendMail>) => void
  background: BackgroundTasks
  knownDevices: KnownDevices
  sessions: Sessions
  mfaLogin: MfaLogin
  securityLog: Pick<SecurityLog, 'record' | 'recordFailedSignIn'>
}
