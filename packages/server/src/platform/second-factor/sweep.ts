import { totpSetUpSeconds } from '@gatehouse/protocol/limits'
import type { Clock } from '../../kit/clock.ts'
import type { Database } from '../../storage/database.ts'
import * as store from './store.ts'

const BATCH = 100

/** Deletes half sign-ins and challenges that are over, and apps that never showed a code, 100 rows at a time. */
export async function sweepSecondFactor(db: Database, clock: Clock): Promise<void> {
  await inBatches(() => store.sweepHalves(db, clock(), BATCH))
  await inBatches(() => store.sweepChallenges(db, clock(), BATCH))
  await inBatches(() => store.sweepUnconfirmed(db, clock() - totpSetUpSeconds * 1000, BATCH))
}

async function inBatches(sweep: () => Promise<number>): Promise<void> {
  for (;;) {
    if ((await sweep()) < BATCH) return
  }
}
