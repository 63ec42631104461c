import { applicationRefreshGraceSeconds, signInFailureDays } from '@gatehouse/protocol/limits'
import { inBatches } from '../kit/batches.ts'
import { lowestId } from '../kit/snowflake.ts'
import { sweepSignIns } from './back-channel-logout-store.ts'
import { deleteRevokedConsents } from './consent-store.ts'
import { deleteGrantRevocation, deleteRevokedGrants, listGrantRevocations } from './grant-revocation-store.ts'
import * as store from './grant-store.ts'
import type { Deps } from './oauth-deps.ts'
import { deleteFailuresBefore } from './sign-in-failure-store.ts'
import { sweepSigningKeys } from './signing-keys.ts'

/**
 * The rows of one statement, so that requests wait only for a short statement. Deleting a grant also deletes its
 * entries in four indexes and its used refresh tokens. With an index on each hash, deleting 500 of a million rows took
 * 0.1 s.
 */
const defaultBatchSize = 50

/** Deletes expired grants, used refresh tokens, sealed token responses, sign-ins, failures and signing keys. */
export async function sweepOAuth(
  { db, clock, refreshGraceSeconds }: Pick<Deps, 'db' | 'clock' | 'refreshGraceSeconds'>,
  batchSize: number = defaultBatchSize,
): Promise<void> {
  const now = clock()
  await sweepRevokedGrants(db, now, batchSize)
  await inBatches(limit => store.sweepGrants(db, now, limit), batchSize)
  await inBatches(limit => store.sweepUsedRefreshTokens(db, now, limit), batchSize)
  const graceMs = Math.max(refreshGraceSeconds, applicationRefreshGraceSeconds) * 1000
  await inBatches(limit => store.sweepSuccessors(db, now - graceMs, limit), batchSize)
  await inBatches(limit => sweepSignIns(db, limit), batchSize)
  const oldestFailure = now - signInFailureDays * 86_400_000
  await inBatches(limit => deleteFailuresBefore(db, oldestFailure, limit), batchSize)
  await sweepSigningKeys(db, now)
}

/** A transaction that has read the revocations, and commits its grant later, ends within this time. */
const openTransactionMs = 60_000

/** Deletes the grants and consents that were revoked, and then the revocations (limits/deletion). */
async function sweepRevokedGrants(db: Deps['db'], now: number, batchSize: number): Promise<void> {
  for (const revocation of await listGrantRevocations(db)) {
    await inBatches(limit => deleteRevokedGrants(db, revocation, limit), batchSize)
    await inBatches(limit => deleteRevokedConsents(db, revocation, limit), batchSize)
    if (revocation.id < lowestId(now - openTransactionMs)) await deleteGrantRevocation(db, revocation)
  }
}
