import { inBatches } from '../kit/batches.ts'
import { sweepSignIns } from './back-channel-logout-store.ts'
import type { Deps } from './deps.ts'
import { sweepGrants, sweepSuccessors, sweepUsedRefreshTokens } from './grants-store.ts'
import { sweepSigningKeys } from './keys.ts'

/**
 * The rows of one statement, so that requests wait only for a short statement. Deleting a grant also deletes its entries in
 * four indexes and its used refresh tokens. With an index on each hash, deleting 500 of a million rows took 0.1 s.
 */
const defaultBatchSize = 50

/** Deletes expired grants, used refresh tokens, sealed token responses, sign-ins and signing keys. */
export async function sweepOAuth(
  { db, clock, refreshGraceSeconds }: Pick<Deps, 'db' | 'clock' | 'refreshGraceSeconds'>,
  batchSize: number = defaultBatchSize,
): Promise<void> {
  const now = clock()
  await inBatches(limit => sweepGrants(db, now, limit), batchSize)
  await inBatches(limit => sweepUsedRefreshTokens(db, now, limit), batchSize)
  await inBatches(limit => sweepSuccessors(db, now - refreshGraceSeconds * 1000, limit), batchSize)
  await inBatches(limit => sweepSignIns(db, limit), batchSize)
  await sweepSigningKeys(db, now)
}
