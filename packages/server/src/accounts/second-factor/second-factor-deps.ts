import type { PasskeyAssertion } from '@gatehouse/protocol/second-factor'
import type { DomainEventPublisher } from '../../events/domain-events.ts'
import type { Events } from '../../events/gateway-events.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Sealer } from '../../kit/seal.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Database, Sql } from '../../storage/database.ts'
import type { SecurityLog } from '../security-log/index.ts'
import type { ChallengePurpose } from './challenges.ts'

/** The part of a user record that this folder reads. */
export interface FactorUser {
  id: string
  username: string
  displayName: string
  email: string | null
  emailVerified: boolean
}

/** What the client sends as the second factor: a TOTP or recovery code, or a passkey assertion. */
export type FactorResponse = { code: string } | { passkey: PasskeyAssertion }

/** What the challenge of a passkey must be for. */
export interface ChallengeBinding {
  purpose: ChallengePurpose
  holder: string
}

export interface FactorAttempt extends ChallengeBinding {
  userId: string
  response: FactorResponse
}

/** What the operations of this folder share. */
export interface FactorDeps {
  db: Database
  clock: Clock
  /** Makes a new snowflake. */
  ids: () => string
  events: Events
  domainEvents: DomainEventPublisher
  sealer: Sealer
  secretKey: Uint8Array
  baseUrl: string
  mailer: Pick<Mailer, 'send'>
  securityLog: Pick<SecurityLog, 'record' | 'recordFailedSignIn'>
  /** An argument, because users/ imports this folder. */
  findUser: (sql: Sql, userId: string) => Promise<FactorUser | undefined>
}
