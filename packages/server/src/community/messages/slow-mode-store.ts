import type { Sql } from '../../storage/database.ts'

interface Turn {
  channelId: string
  userId: string
  nonce: string | undefined
}

/**
 * Whether the user may send a message now, and if so records it. False also if the message with the nonce exists, which
 * is no second one. Parallel messages wait for each other here, and only one gets the turn.
 */
export async function takeTurn(
  sql: Sql,
  { channelId, userId, nonce }: Turn,
  { now, seconds }: { now: number; seconds: number },
): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO slow_mode_turns (channel_id, user_id, sent_at)
    SELECT ${channelId}, ${userId}, CAST(${now} AS BIGINT)
    WHERE NOT EXISTS (
      SELECT 1 FROM messages m
      WHERE m.author_id = ${userId} AND m.channel_id = ${channelId} AND m.nonce IS NOT NULL
        AND m.nonce = ${nonce ?? null})
    ON CONFLICT (channel_id, user_id) DO UPDATE SET sent_at = excluded.sent_at
      WHERE slow_mode_turns.sent_at <= ${now - seconds * 1000}`
  return rows > 0
}

/** The last message of the user in the channel, and whether it is that with the nonce. */
export async function findTurn(sql: Sql, { channelId, userId, nonce }: Turn) {
  return sql.get<{ sentAt: number; isRepeated: number }>`
    SELECT t.sent_at, (
      SELECT COUNT(*) FROM messages m
      WHERE m.author_id = ${userId} AND m.channel_id = ${channelId} AND m.nonce IS NOT NULL
        AND m.nonce = ${nonce ?? null}
    ) AS is_repeated
    FROM slow_mode_turns t WHERE t.channel_id = ${channelId} AND t.user_id = ${userId}`
}

/** The rows from before the time. Returns the number of deleted rows. */
export function deleteTurns(sql: Sql, before: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM slow_mode_turns WHERE (channel_id, user_id) IN
      (SELECT channel_id, user_id FROM slow_mode_turns WHERE sent_at < ${before} LIMIT ${limit})`
}
