import type { Clock } from '../kit/clock.ts'
import { snowflakeAt } from '../kit/snowflake.ts'
import type { Events } from '../platform/events.ts'
import { type Messages, messageView } from '../platform/messages/index.ts'
import type { Database } from '../storage/database.ts'
import { reasons, tokenMs } from './interaction.ts'
import type { Progress } from './progress.ts'
import * as store from './store.ts'

/** Rows of one statement: those who are being served wait behind no more than that. */
const batch = 100

/** How many of an application stay in its log, and how long, once nothing can happen to them any more. */
const kept = 1000
const keptMs = 24 * 60 * 60 * 1000

// Who used something in this time before its token expired is looked at; the rest goes after `keptMs`.
const trimmedMs = 5 * 60 * 1000

interface SweepDeps {
  db: Database
  clock: Clock
  events: Pick<Events, 'toChannel'>
  messages: Pick<Messages, 'findMessage'>
  progress: Progress
}

/**
 * Writes down what deadlines have changed where no node was left to do it, so that the person is told (D29, D61), and
 * deletes what the log does not hold any longer.
 */
export async function sweepInteractions(deps: SweepDeps, { size = batch, keep = kept } = {}): Promise<void> {
  const { db, clock } = deps
  const now = clock()
  await inBatches(size, () => timeOutAll(deps, now, size))
  await inBatches(size, () => expireDeferred(deps, now, size))
  await inBatches(size, () => store.deleteBelow(db, snowflakeAt(now - keptMs), size))
  // One more minute for ids that borrowed from the time to come.
  const below = snowflakeAt(now - tokenMs - 60_000)
  const from = snowflakeAt(now - tokenMs - 60_000 - trimmedMs)
  for (const applicationId of await store.listApplications(db, { from, below })) {
    await inBatches(size, () => store.deleteBeyond(db, applicationId, { kept: keep, below, limit: size }))
  }
}

async function timeOutAll({ db, progress }: SweepDeps, now: number, size: number): Promise<number> {
  const found = await store.timeOutAll(db, now, size)
  for (const interaction of found)
    progress.ended(interaction, { state: 'timed_out', reason: reasons.timedOut })
  return found.length
}

async function expireDeferred(deps: SweepDeps, now: number, size: number): Promise<number> {
  const { db, events, messages, progress } = deps
  const reason = reasons.notFollowedUp
  const found = await store.expireDeferred(db, { now, reason, limit: size })
  for (const interaction of found) {
    progress.followed(interaction, { state: 'timed_out', reason })
    const { channelId, original } = interaction
    if (!original || original.ephemeral) continue
    // D60: the placeholder reads as expired from now on; whoever looks at it is told.
    const placeholder = await messages.findMessage(db, channelId, original.id)
    if (placeholder) events.toChannel(channelId, { t: 'MESSAGE_UPDATE', d: messageView(placeholder) })
  }
  return found.length
}

async function inBatches(size: number, turn: () => Promise<number>): Promise<void> {
  while ((await turn()) >= size);
}
