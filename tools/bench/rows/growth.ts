import { maxChannels } from '@gatehouse/protocol/limits'
import { openDatabase } from '@gatehouse/testkit/databases'
import type { Bench, Side, Target } from '../bench.ts'
import { closedLoop } from '../load.ts'
import { compare, type Result } from '../report.ts'
import { loads } from './requests.ts'

export async function* growth(bench: Bench): AsyncGenerator<Result> {
  // A short run shows only that the row works.
  const messages = bench.short ? 10_000 : 1_000_000
  const empty = await bench.startTarget()
  const full = await bench.startTarget()
  await fillDatabase(empty, { users: 0, messages: 0 })
  await fillDatabase(full, { users: messages / 10, messages })
  for (const [name, prepare] of Object.entries(all)) {
    const what = `${name}, with ${messages} messages and tokens`
    const sides = { ours: await prepare(bench, full), empty: await prepare(bench, empty) }
    const isLimited = bench.engine === 'postgres' && name === lastMessages
    const ours = isLimited ? { processor: { most: 2000 } } : {}
    yield compare(bench, what, sides, { ours, empty: { rate: { least: 1 / 1.1 } } })
  }
}

const lastMessages = `last 50 messages in a server with ${maxChannels} channels`

/** Their responses do not depend on the size of the database. */
const all: Readonly<Record<string, (bench: Bench, target: Target) => Promise<Side>>> = {
  'code exchange and refresh': loads.tokens,
  UserInfo: loads.userInfo,
  // Before the list of messages, which are those of the webhook.
  'webhook post': loads.webhook,
  async [lastMessages]({ seconds }, target) {
    const { channelId, cookie } = target.fixture
    const path = `/api/channels/${channelId}/messages`
    const requests = [{ method: 'GET' as const, path, headers: { cookie } }]
    return () => closedLoop(target, { requests, status: 200, contains: '"content"', seconds })
  },
}

/**
 * Creates as many channels as are allowed, members, messages in the channel of the fixture, and as many token families
 * of its application, each with a used refresh token. It uses SQL, because the API would take a day.
 */
export async function fillDatabase(target: Target, size: { users: number; messages: number }): Promise<void> {
  const { serverId, channelId, application } = target.fixture
  const now = Date.now()
  const end = now + 3_600_000 * 24 * 7
  const id = 'CAST(1000000000000000000 + i AS TEXT)'
  const userId = `CAST(1000000000000000001 + i % ${size.users} AS TEXT)`
  const db = await openDatabase(target.databaseUrl)
  const run = (sql: string) => db.run(Object.assign([sql], { raw: [sql] }))
  const insert = async (count: number, table: string, columns: string, values: string) => {
    // The statement timeout of PostgreSQL would cancel a statement for all rows.
    for (let from = 1; from <= count; from += 20_000) {
      const to = Math.min(from + 19_999, count)
      await run(`
        WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
        INSERT INTO ${table} (${columns}) SELECT ${values} FROM n`)
    }
    // Otherwise autovacuum works during the load. SQLite plans from the schema alone.
    if (db.engine === 'postgres') await run(`VACUUM ANALYZE ${table}`)
  }
  const channel = `${id}, '${serverId}', 'text', 'channel-' || i, i, 0`
  await insert(maxChannels - 1, 'channels', 'id, server_id, type, name, position, created_at', channel)
  const user = `${id}, 'member' || i, 'Member ' || i, 1, 0, 0`
  await insert(size.users, 'users', 'id, username, display_name, email_verified, bot, created_at', user)
  await insert(size.users, 'members', 'server_id, user_id, joined_at', `'${serverId}', ${id}, 0`)
  const ofMessage =
    'id, channel_id, server_id, author_id, content, embeds, components, mentions, state, created_at'
  const content = `'Message ' || i || ' of a community that talks a lot, about this and that.'`
  const message = `${id}, '${channelId}', '${serverId}', ${userId}, ${content}, '[]', '[]', '', 'sent', 0`
  await insert(size.messages, 'messages', ofMessage, message)
  const ofGrant = `id, application_id, user_id, code_hash, scope, auth_time, amr, sid, access_hash, access_scope,
    access_expires_at, refresh_hash, issued_at, expires_at`
  const hashOf = (what: string) => `'hash-of-the-${what}-of-a-family-of-tokens-' || i`
  const grant = `${id}, '${application.id}', ${userId}, ${hashOf('code')}, 'identify', ${now}, '["pwd"]', 'session',
    ${hashOf('access-token')}, 'identify', ${end}, ${hashOf('refresh-token')}, ${now}, ${end}`
  await insert(size.messages, 'oauth_grants', ofGrant, grant)
  const used = `${id}, ${hashOf('used-token')}, ${now}, ${end}, 0`
  await insert(size.messages, 'oauth_used_refresh_tokens', 'grant_id, hash, used_at, expires_at, slot', used)
  await db.close()
}
