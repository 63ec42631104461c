import type { Sql } from '../../storage/database.ts'

export async function isKnownDevice(sql: Sql, userId: string, browserHash: string): Promise<boolean> {
  const row = await sql.get`
    SELECT 1 FROM known_devices WHERE user_id = ${userId} AND browser_hash = ${browserHash}`
  return row !== undefined
}

export async function hasKnownDevice(sql: Sql, userId: string): Promise<boolean> {
  return (await sql.get`SELECT 1 FROM known_devices WHERE user_id = ${userId} LIMIT 1`) !== undefined
}

/** Returns false if the device is not known. */
export async function updateLastUsed(
  sql: Sql,
  { userId, browserHash }: { userId: string; browserHash: string },
  now: number,
): Promise<boolean> {
  const updated = await sql.run`
    UPDATE known_devices SET last_used_at = ${now} WHERE user_id = ${userId} AND browser_hash = ${browserHash}`
  return updated > 0
}

export async function insertKnownDevice(
  sql: Sql,
  { userId, browserHash }: { userId: string; browserHash: string },
  now: number,
): Promise<void> {
  await sql.run`
    INSERT INTO known_devices (user_id, browser_hash, last_used_at) VALUES (${userId}, ${browserHash}, ${now})`
}

/** Deletes all except the `keep` that were used most recently. SQLite requires a LIMIT before an OFFSET. */
export async function deleteLeastRecentlyUsed(sql: Sql, userId: string, keep: number): Promise<void> {
  await sql.run`
    DELETE FROM known_devices WHERE user_id = ${userId} AND browser_hash IN
      (SELECT d.browser_hash FROM known_devices d WHERE d.user_id = ${userId}
       ORDER BY d.last_used_at DESC, d.browser_hash LIMIT 1000000 OFFSET ${keep})`
}

export async function deleteKnownDevices(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM known_devices WHERE user_id = ${userId}`
}
