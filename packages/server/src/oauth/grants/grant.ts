import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Sealer } from '../../kit/seal.ts'
import type { Database } from '../../storage/database.ts'
import type { Identity } from '../id-token.ts'
import type { Parameters } from '../parameters.ts'

export interface GrantDeps {
  db: Database
  clock: Clock
  sealer: Sealer
  signIdToken: (identity: Identity) => Promise<string>
  refreshGraceSeconds: number
}

/** One way to tokens. The client has shown who it is; throws OAuthError. */
export type Grant = (deps: GrantDeps, client: ClientRecord, form: Parameters) => Promise<TokenResponse>
