import type { Clock } from '../../kit/clock.ts'
import type { Database } from '../../storage/database.ts'
import { sweepSessions } from '../sessions/index.ts'
import { deleteExpiredMailTokens } from './store.ts'

const BATCH = 100

/** Deletes expired sessions and links of mails, 100 rows at a time. */
export async function sweepPeople(db: Database, clock: Clock): Promise<void> {
  await sweepSessions(db, clock, BATCH)
  for (;;) {
    const deleted = await deleteExpiredMailTokens(db, clock(), BATCH)
    if (deleted < BATCH) return
  }
}
