import { maxSlowMode } from '@gatehouse/protocol/limits'
import { has, Permission } from '@gatehouse/protocol/permissions'
import { AppError } from '../../errors/app-error.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { ChannelAccess } from '../permissions/index.ts'
import { deleteTurns, findTurn, takeTurn } from './slow-mode-store.ts'

/** Whether the user has to wait between two messages in the channel (community/slow-mode). */
export function isSlow({ channel, permissions }: ChannelAccess): boolean {
  const { MANAGE_MESSAGES, MANAGE_CHANNELS } = Permission
  return channel.slowMode > 0 && !has(permissions, MANAGE_MESSAGES) && !has(permissions, MANAGE_CHANNELS)
}

/** Throws 429 `slow_mode` if the last message of the user in the channel is too recent. */
export async function requireTurn(
  tx: Transaction,
  now: number,
  turn: Parameters<typeof takeTurn>[1],
  seconds: number,
): Promise<void> {
  if (await takeTurn(tx, turn, { now, seconds })) return
  const last = await findTurn(tx, turn)
  if (last?.isRepeated === 1) return
  const leftMs = (last?.sentAt ?? now) + seconds * 1000 - now
  const retryAfter = Math.max(1, Math.ceil(leftMs / 1000))
  const message = `Slow mode: you can send the next message in ${retryAfter} s.`
  throw new AppError('slow_mode', message, { retryAfter })
}

/** Deletes what no slow mode needs any more. */
export async function sweepTurns(db: Sql, now: number): Promise<void> {
  await inBatches(limit => deleteTurns(db, now - maxSlowMode * 1000, limit))
}
