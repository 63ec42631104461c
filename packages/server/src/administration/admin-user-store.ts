import type { AdminListQuery } from '@gatehouse/protocol/administration'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import { maxSnowflake } from '../kit/snowflake.ts'
import type { Sql } from '../storage/database.ts'

/** A page of what matches `query`. */
export interface SearchPage {
  query: string
  /** Patterns for LIKE. LOWER of SQLite changes only the letters of ASCII. */
  part: string
  lowerPart: string
  before: string
  limit: number
}

export function toSearchPage({
  query = '',
  before = maxSnowflake,
  limit = defaultListLimit,
}: AdminListQuery): SearchPage {
  const text = query.normalize('NFC').replace(/[!%_]/g, '!$&')
  return { query, part: `%${text}%`, lowerPart: `%${text.toLowerCase()}%`, before, limit }
}

/** Finds what has this id: it is the newest up to its id that matches. */
export function queryOfId(id: string): AdminListQuery {
  return { query: id, before: String(BigInt(id) + 1n), limit: 1 }
}

/** The ids of people, newest first. `query` is an id, or a part of a name or of the email address. */
export async function searchUserIds(
  sql: Sql,
  { query, part, lowerPart, before, limit }: SearchPage,
): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`
    SELECT id FROM users
    WHERE id < ${before} AND bot = 0
      AND (${query} = '' OR id = ${query} OR username LIKE ${lowerPart} ESCAPE '!'
        OR email_key LIKE ${lowerPart} ESCAPE '!' OR display_name LIKE ${part} ESCAPE '!'
        OR LOWER(display_name) LIKE ${lowerPart} ESCAPE '!')
    ORDER BY id DESC LIMIT ${limit}`
  return rows.map(row => row.id)
}
