import { type Database, openDatabase } from '@gatehouse/testkit/databases'
import type { Fixture } from '@gatehouse/testkit/fixture'

/** The number of rows to create. */
export interface Size {
  users: number
  /** Messages in the channel of the fixture. The same number is spread over the other channels. */
  messages: number
  /** Channels in other servers. */
  channels: number
  tokens: number
}

/** Rows per statement. The statement timeout of PostgreSQL would cancel a larger one. */
const batch = 20_000

/**
 * Fills the database of a service: members of the same server, messages in the same channel and in channels of other
 * servers, and token families of the same application, each with a used refresh token. It uses SQL, because the API
 * would take a day.
 */
export async function fillDatabase(databaseUrl: string, fixture: Fixture, size: Size): Promise<void> {
  const db = await openDatabase(databaseUrl)
  try {
    await fillMembers(db, fixture, size)
    await fillMessages(db, fixture, size)
    await fillTokens(db, fixture, size)
    // Autovacuum would do this within a minute. SQLite plans from the schema alone.
    if (db.engine === 'postgres') await db.run`ANALYZE`
  } finally {
    await db.close()
  }
}

// Ids start at 1000000000000000000, so that they sort before all ids that the service creates.

async function fillMembers(db: Database, { serverId, user }: Fixture, size: Size): Promise<void> {
  const now = Date.now()
  await inBatches(size.users, async (from, to) => {
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
      INSERT INTO users (id, username, display_name, email, email_key, email_verified, bot, created_at)
      SELECT CAST(1000000000000000000 + i AS TEXT), 'member' || i, 'Member ' || i, 'm' || i || '@example.org',
        'm' || i || '@example.org', 1, 0, CAST(${now} AS BIGINT) FROM n`
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
      INSERT INTO members (server_id, user_id, joined_at)
      SELECT CAST(${serverId} AS TEXT), CAST(1000000000000000000 + i AS TEXT), CAST(${now} AS BIGINT) FROM n`
  })
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${size.channels} / 50)
    INSERT INTO servers (id, name, owner_id, created_at)
    SELECT CAST(1000000000000000000 + i AS TEXT), 'Server ' || i, CAST(${user.id} AS TEXT), CAST(${now} AS BIGINT)
    FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size.channels})
    INSERT INTO channels (id, server_id, type, name, position, created_at)
    SELECT CAST(1000000000000000000 + i AS TEXT), CAST(1000000000000000000 + i / 50 AS TEXT), 'text',
      'channel-' || i, i, CAST(${now} AS BIGINT) FROM n`
}

async function fillMessages(db: Database, { serverId, channelId }: Fixture, size: Size): Promise<void> {
  const now = Date.now()
  await inBatches(2 * size.messages, async (from, to) => {
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
      INSERT INTO messages
        (id, channel_id, server_id, author_id, content, embeds, components, mentions, state, created_at)
      SELECT CAST(1000000000000000000 + i AS TEXT),
        CASE WHEN i % 2 = 0 THEN CAST(${channelId} AS TEXT)
          ELSE CAST(1000000000000000001 + i / 2 % ${size.channels} AS TEXT) END,
        CASE WHEN i % 2 = 0 THEN CAST(${serverId} AS TEXT)
          ELSE CAST(1000000000000000000 + (1 + i / 2 % ${size.channels}) / 50 AS TEXT) END,
        CAST(1000000000000000001 + i % ${size.users} AS TEXT),
        'Message ' || i || ' of a community that talks a lot, about this and that and the other.', '[]', '[]', '',
        'sent', CAST(${now} AS BIGINT)
      FROM n`
  })
}

async function fillTokens(db: Database, { application }: Fixture, size: Size): Promise<void> {
  const now = Date.now()
  const expiresAt = now + 3_600_000 * 24 * 7
  await inBatches(size.tokens, async (from, to) => {
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
      INSERT INTO oauth_grants (id, application_id, user_id, code_hash, scope, auth_time, amr, sid, access_hash,
        access_scope, access_expires_at, refresh_hash, issued_at, expires_at)
      SELECT CAST(1000000000000000000 + i AS TEXT), CAST(${application.id} AS TEXT),
        CAST(1000000000000000001 + i % ${size.users} AS TEXT), 'hash-of-the-code-of-a-family-of-tokens-' || i,
        'identify', CAST(${now} AS BIGINT), '["pwd"]', 'session', 'hash-of-the-access-token-of-a-family-' || i, 'identify',
        CAST(${expiresAt} AS BIGINT), 'hash-of-the-refresh-token-of-a-family-' || i, CAST(${now} AS BIGINT),
        CAST(${expiresAt} AS BIGINT) FROM n`
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
      INSERT INTO oauth_used_refresh_tokens (grant_id, hash, used_at, expires_at, slot)
      SELECT CAST(1000000000000000000 + i AS TEXT), 'hash-of-a-used-token-of-a-family-of-tokens-' || i,
        CAST(${now} AS BIGINT), CAST(${expiresAt} AS BIGINT), 0 FROM n`
  })
}

async function inBatches(count: number, f: (from: number, to: number) => Promise<void>): Promise<void> {
  for (let from = 1; from <= count; from += batch) await f(from, Math.min(from + batch - 1, count))
}
