import { toMessage } from '../community/messages/index.ts'
import type { Events } from '../events/gateway-events.ts'
import { inBatches } from '../kit/batches.ts'
import { timestampToSnowflake } from '../kit/snowflake.ts'
import { newestExpired } from './deadline.ts'
import type { Deps } from './interaction-deps.ts'
import type { StatusRecorder } from './interaction-status.ts'
import * as store from './interaction-store.ts'

/** Rows per statement: a request waits for one batch at most. */
const defaultBatchSize = 100

/** Size and age of an application's log. Only interactions whose token has expired are deleted. */
const defaultLogSize = 1000
const logMs = 24 * 60 * 60 * 1000

/** The log size is enforced only for applications with tokens that expired in this time. The rest is deleted by age. */
const recentlyExpiredMs = 5 * 60 * 1000

/** Ids may be ahead of the clock by up to this time. */
const idSlackMs = 60_000

type SweepDeps = Pick<Deps, 'db' | 'clock' | 'messages'> & {
  events: Pick<Events, 'toChannel'>
  status: Pick<StatusRecorder, 'publishTimeout' | 'publishUpdate'>
}

/**
 * Records and publishes the timeouts of interactions whose deadline has passed, usually because their node ended before
 * it, and the expiries of deferred interactions (bots/interaction-states, gateway/event-payloads). Deletes old entries
 * of the log.
 */
export async function sweepInteractions(
  deps: SweepDeps,
  { batchSize = defaultBatchSize, logSize = defaultLogSize } = {},
): Promise<void> {
  const { db, clock } = deps
  const now = clock()
  await sweepOverdue(deps, batchSize)
  await inBatches(limit => expireDeferred(deps, now, limit), batchSize)
  await inBatches(
    limit => store.deleteInteractionsBelow(db, timestampToSnowflake(now - logMs), limit),
    batchSize,
  )
  const expiredMs = newestExpired(now) - idSlackMs
  const below = timestampToSnowflake(expiredMs)
  const from = timestampToSnowflake(expiredMs - recentlyExpiredMs)
  for (const applicationId of await store.listApplicationsBetween(db, { from, below })) {
    await inBatches(
      limit => store.deleteExcessInteractions(db, applicationId, { keep: logSize, below, limit }),
      batchSize,
    )
  }
}

/** Records and publishes the timeouts of interactions without a response whose deadline has passed. */
export async function sweepOverdue(deps: SweepDeps, batchSize = defaultBatchSize): Promise<void> {
  const now = deps.clock()
  await inBatches(limit => timeOutPending(deps, now, limit), batchSize)
}

async function timeOutPending({ db, status }: SweepDeps, now: number, limit: number): Promise<number> {
  const targets = await store.timeOutInteractions(db, now, limit)
  for (const target of targets) status.publishTimeout(target)
  return targets.length
}

async function expireDeferred(deps: SweepDeps, now: number, limit: number): Promise<number> {
  const { db, events, messages, status } = deps
  const expired = await store.expireDeferred(db, { now, limit })
  for (const { channelId, original, ...target } of expired) {
    status.publishUpdate(target, { state: 'timed_out', reason: { code: 'no_follow_up' } })
    if (!original || original.ephemeral) continue
    // The state of the placeholder is `expired` from now on (bots/placeholder-id).
    const placeholder = await messages.findMessage(db, channelId, original.id)
    if (placeholder) events.toChannel(channelId, { t: 'MESSAGE_UPDATE', d: toMessage(placeholder) })
  }
  return expired.length
}
