import type { Sealer } from '../../kit/seal.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Sql } from '../../storage/database.ts'
import type { Deps } from '../deps.ts'

/** The part of a user record that this folder reads. */
export interface FactorUser {
  id: string
  username: string
  displayName: string
  email: string | null
}

/** What the operations of this folder share. */
export interface FactorDeps extends Deps {
  sealer: Sealer
  secretKey: Uint8Array
  baseUrl: string
  mailer: Pick<Mailer, 'send'>
  /** An argument, because users/ imports this folder. */
  findUser: (sql: Sql, userId: string) => Promise<FactorUser | undefined>
}
