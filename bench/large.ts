import { openDatabase } from '../packages/server/src/storage/open.ts'
import type { World } from './world.ts'

/** How much a large community has. */
export interface Size {
  users: number
  messages: number
  tokens: number
}

/**
 * Fills the database of a service with others' things: people who are members of the same server, messages in the same
 * channel and in others, families of tokens with a used refresh token each. By SQL: through the API it would take a day.
 */
export async function fill(databaseUrl: string, world: World, size: Size): Promise<void> {
  const db = await openDatabase(databaseUrl)
  const { serverId, channelId, userId, client } = world
  const now = Date.now()
  const later = now + 3_600_000 * 24 * 7
  const [users, messages, tokens] = [size.users, size.messages, size.tokens]
  // Ids that sort before all that the service makes.
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${users})
    INSERT INTO users (id, username, display_name, email, email_key, email_verified, bot, created_at)
    SELECT CAST(1000000000000000000 + i AS TEXT), 'member' || i, 'Member ' || i, 'm' || i || '@example.org',
      'm' || i || '@example.org', 1, 0, CAST(${now} AS BIGINT) FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${users})
    INSERT INTO members (server_id, user_id, joined_at)
    SELECT CAST(${serverId} AS TEXT), CAST(1000000000000000000 + i AS TEXT), CAST(${now} AS BIGINT) FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    INSERT INTO channels (id, server_id, type, name, position, created_at)
    SELECT CAST(1000000000000000000 + i AS TEXT), CAST(${serverId} AS TEXT), 'text', 'channel-' || i, i,
      CAST(${now} AS BIGINT) FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${messages})
    INSERT INTO messages (id, channel_id, server_id, author_id, content, embeds, components, mentions, state, created_at)
    SELECT CAST(1000000000000000000 + i AS TEXT),
      CASE WHEN i % 2 = 0 THEN CAST(${channelId} AS TEXT) ELSE CAST(1000000000000000001 + i % 100 AS TEXT) END,
      CAST(${serverId} AS TEXT), CAST(1000000000000000001 + i % ${users} AS TEXT),
      'Message ' || i || ' of a community that talks a lot, about this and that and the other.', '[]', '[]', '', 'sent',
      CAST(${now} AS BIGINT) FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${tokens})
    INSERT INTO oauth_grants (id, application_id, user_id, code_hash, scope, auth_time, access_hash, access_scope,
      access_expires_at, refresh_hash, issued_at, expires_at)
    SELECT CAST(1000000000000000000 + i AS TEXT), CAST(${client.id} AS TEXT), CAST(${userId} AS TEXT), 'code' || (CAST(i AS BIGINT) * 7919 % 999983) || '-' || i,
      'identify', CAST(${now} AS BIGINT), 'access' || (CAST(i AS BIGINT) * 7919 % 999983) || '-' || i, 'identify',
      CAST(${later} AS BIGINT), 'refresh' || (CAST(i AS BIGINT) * 7919 % 999983) || '-' || i, CAST(${now} AS BIGINT),
      CAST(${later} AS BIGINT) FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${tokens})
    INSERT INTO oauth_used_refresh_tokens (hash, grant_id, used_at, expires_at)
    SELECT 'used' || (CAST(i AS BIGINT) * 7919 % 999983) || '-' || i, CAST(1000000000000000000 + i AS TEXT), CAST(${now} AS BIGINT),
      CAST(${later} AS BIGINT) FROM n`
  await db.close()
}
