import type { Clock } from '../kit/clock.ts'
import type { Database } from '../storage/database.ts'
import { sweepSignIns } from './logout/index.ts'
import { sweepSigningKeys } from './signing-keys.ts'
import { sweepGrants, sweepSuccessors, sweepUsed } from './store.ts'

/**
 * Rows of one statement: those who are being served wait behind no more than that. A family takes its entries in four
 * indexes with it, and its used tokens. With an index over each hash 500 of a million took a tenth of a second.
 */
const batch = 50

/** Deletes what has expired: codes, families of tokens, used refresh tokens, sealed successors, sign-ins, signing keys. */
export async function sweepOAuth(
  { db, clock, refreshGraceSeconds }: { db: Database; clock: Clock; refreshGraceSeconds: number },
  size: number = batch,
): Promise<void> {
  const now = clock()
  await inBatches(size, () => sweepGrants(db, now, size))
  await inBatches(size, () => sweepUsed(db, now, size))
  await inBatches(size, () => sweepSuccessors(db, now - refreshGraceSeconds * 1000, size))
  await inBatches(size, () => sweepSignIns(db, size))
  await sweepSigningKeys(db, now)
}

async function inBatches(size: number, turn: () => Promise<number>): Promise<void> {
  while ((await turn()) >= size);
}
