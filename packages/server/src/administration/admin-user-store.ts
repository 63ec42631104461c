import type { Sql } from '../storage/database.ts'

/** The ids of people, newest first. `query` is an id, or a part of a name or of the email address. */
export async function searchUserIds(
  sql: Sql,
  { query, before, limit }: { query: string; before: string; limit: number },
): Promise<string[]> {
  const text = query.normalize('NFC').replace(/[!%_]/g, '!$&')
  const [part, lowerPart] = [`%${text}%`, `%${text.toLowerCase()}%`]
  // LOWER of SQLite changes only the letters of ASCII.
  const rows = await sql.all<{ id: string }>`
    SELECT id FROM users
    WHERE id < ${before} AND bot = 0
      AND (${query} = '' OR id = ${query} OR username LIKE ${lowerPart} ESCAPE '!'
        OR email_key LIKE ${lowerPart} ESCAPE '!' OR display_name LIKE ${part} ESCAPE '!'
        OR LOWER(display_name) LIKE ${lowerPart} ESCAPE '!')
    ORDER BY id DESC LIMIT ${limit}`
  return rows.map(row => row.id)
}
