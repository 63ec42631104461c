import {
  maxChannels,
  maxJsonValues,
  maxListLimit,
  maxOptions,
  maxRoles,
  maxServerOverwrites,
  rates,
  requestBytesPerRequest,
  responseBytesPerRequest,
} from '@gatehouse/protocol/limits'
import { openDatabase } from '@gatehouse/testkit/databases'
import { addMembers, type Fixture } from '@gatehouse/testkit/fixture'
import { type Engine, joinErrors, measureAlternately, medianOf, type Row } from '../bench.ts'
import { type Goal, judge, times } from '../goals.ts'
import type { HttpRequest } from '../load/http-client.ts'
import { type OpenLoopRequest, runOpenLoop } from '../load/open-loop.ts'
import type { LoadResult } from '../load/statistics.ts'

const rateOfOthers = 200

const goals: Record<Engine, Goal> = { sqlite: { most: 2 }, postgres: { most: 2 } }

export const neighboursRow: Row = {
  name: 'neighbours',
  what: "others' requests while one account sends its most expensive ones at the caps",
  async run(bench) {
    const { service, ports, fixture, databaseUrl } = await bench.target()
    const [account] = await addMembers(service, fixture, 1)
    if (account === undefined) throw new Error('no account')
    const serverId = '1100000000000000000'
    const ids = await fillCaps(databaseUrl, { serverId, ownerId: fixture.user.id, memberId: account.id })
    const headers = { cookie: account.client.cookieHeader(), origin: service.url }
    await putLargeCommands(service.url, fixture)
    const get = (path: string) => ({ method: 'GET', path, headers })
    const worst: OpenLoopRequest[] = [
      get(`/api/servers/${serverId}/channels`),
      get(`/api/servers/${serverId}/roles`),
      get(`/api/servers/${serverId}/members?limit=${maxListLimit}&channelId=${ids.channelId}`),
      get('/api/users/@me/servers'),
      get(`/api/channels/${ids.channelId}`),
      get(`/api/channels/${fixture.channelId}/commands`),
      {
        method: 'POST',
        path: '/api/servers',
        headers: { ...headers, 'content-type': 'application/json' },
        body: largeBody,
        expect: 400,
      },
    ]
    // `RATE_LIMITS` is off, so this row itself keeps to the rate of requests (limits/response-size).
    const costs = await Promise.all(worst.map(request => readCost(service.url, request)))
    const cost = costs.reduce((sum, one) => sum + one) / costs.length
    const rateOfOne = rates.requests.count / cost
    const own = { cookie: fixture.cookie, origin: service.url, 'content-type': 'application/json' }
    const path = `/api/channels/${fixture.channelId}/messages`
    const usual = [
      { method: 'GET', path: `${path}?limit=50`, headers: own },
      { method: 'POST', path, headers: own, body: '{"content":"hello"}' },
      { method: 'GET', path: `/api/servers/${fixture.serverId}/channels`, headers: own },
    ]
    const ms = Math.max(bench.ms, 2000)
    const others = () =>
      runOpenLoop({ port: ports, rate: rateOfOthers, requests: usual, isOver: at => at > ms })
    let hostile: LoadResult | undefined
    const rounds = await measureAlternately(bench.rounds, {
      quiet: others,
      busy: async () => {
        let isOver = false
        const one = runOpenLoop({ port: ports, rate: rateOfOne, requests: worst, isOver: () => isOver })
        const result = await others()
        isOver = true
        hostile = await one
        const errors = joinErrors(result.errors, hostile.errors)
        return { ...result, errors }
      },
    })
    const p99 = (side: 'quiet' | 'busy') => medianOf(rounds, round => round[side].p99)
    const ratio = medianOf(rounds, ({ quiet, busy }) => busy.p99 / quiet.p99)
    return [
      {
        what: `${rateOfOthers} requests of others a second, while one account sends ${rateOfOne.toFixed(1)} at the caps`,
        sides: {
          quiet: `p99 ${p99('quiet').toFixed(1)} ms`,
          busy: `p99 ${p99('busy').toFixed(1)} ms`,
          'the account': `p99 ${hostile?.p99.toFixed(1)} ms in the last round`,
        },
        ...judge(ratio, times, goals[bench.engine]),
        errors: joinErrors(...rounds.flatMap(({ quiet, busy }) => [quiet.errors, busy.errors])),
      },
    ]
  },
}

/** As many members as are parsed (limits/json-values), which the route does not know: nearly 1 MiB. */
const largeBody = JSON.stringify(
  Object.fromEntries(Array.from({ length: maxJsonValues - 2 }, (_none, i) => [`member-${i}`, 12_345])),
)

/** The number of requests that one request counts as. */
async function readCost(url: string, { method, path, headers, body }: HttpRequest): Promise<number> {
  const sent = body === undefined ? {} : { body }
  const response = await fetch(new URL(path, url), { method, headers: headers ?? {}, ...sent })
  const { byteLength } = await response.arrayBuffer()
  const ofBody = Math.floor(Buffer.byteLength(body ?? '') / requestBytesPerRequest)
  return 1 + ofBody + Math.floor(byteLength / responseBytesPerRequest)
}

/** Registers a set of about 1 MiB for the server of the fixture. */
async function putLargeCommands(url: string, { bot, serverId }: Fixture): Promise<void> {
  const choices = [{ name: 'y'.repeat(100), value: 'z'.repeat(100) }]
  const options = Array.from({ length: maxOptions }, (_none, i) => ({
    type: 'string',
    name: `option-${i}`,
    description: 'x'.repeat(100),
    choices,
  }))
  const commands = Array.from({ length: 95 }, (_none, i) => ({
    name: `large-${i}`,
    description: 'Large',
    options,
  }))
  const response = await fetch(new URL(`/api/applications/@me/servers/${serverId}/commands`, url), {
    method: 'PUT',
    headers: { authorization: `Bot ${bot.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(commands),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** A server at the caps. The member and the users of a page of members have all roles. The ids sort before all ids that the service creates. */
async function fillCaps(
  databaseUrl: string,
  { serverId, ownerId, memberId }: { serverId: string; ownerId: string; memberId: string },
): Promise<{ channelId: string }> {
  const db = await openDatabase(databaseUrl)
  try {
    await db.run`INSERT INTO servers (id, name, owner_id, created_at) VALUES (${serverId}, 'Caps', ${ownerId}, 0)`
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxRoles - 1})
      INSERT INTO roles (id, server_id, name, permissions, color, position)
      SELECT CAST(CAST(${serverId} AS BIGINT) + i AS TEXT), CAST(${serverId} AS TEXT), 'Role ' || i, '3072', 0, i FROM n`
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxListLimit})
      INSERT INTO users (id, username, display_name, bot, created_at)
      SELECT CAST(CAST(${serverId} AS BIGINT) + 2000 + i AS TEXT), 'caps' || i, 'Member ' || i, 0, 0 FROM n`
    await db.run`
      INSERT INTO members (server_id, user_id, joined_at)
      SELECT CAST(${serverId} AS TEXT), u.id, 0 FROM users u
      WHERE u.username LIKE 'caps%' OR u.id IN (${ownerId}, ${memberId})`
    await db.run`
      INSERT INTO member_roles (server_id, user_id, role_id)
      SELECT r.server_id, m.user_id, r.id FROM members m JOIN roles r ON r.server_id = m.server_id
      WHERE m.server_id = ${serverId} AND m.user_id <> ${ownerId} AND r.id <> ${serverId}`
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxChannels - 1})
      INSERT INTO channels (id, server_id, type, name, topic, position, created_at)
      SELECT CAST(CAST(${serverId} AS BIGINT) + 1000 + i AS TEXT), CAST(${serverId} AS TEXT), 'text', 'channel-' || i,
        'About this and that', i, 0 FROM n`
    // @everyone and most roles may not view the channels, the last role of each may.
    const ofChannel = maxServerOverwrites / maxChannels
    await db.run`
      INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
      SELECT c.id, r.id, 'role', CASE WHEN r.position = ${ofChannel - 1} THEN '1024' ELSE '0' END,
        CASE WHEN r.position = ${ofChannel - 1} THEN '0' ELSE '1024' END
      FROM channels c JOIN roles r ON r.server_id = c.server_id
      WHERE c.server_id = ${serverId} AND r.position < ${ofChannel}`
    if (db.engine === 'postgres') await db.run`ANALYZE`
    return { channelId: String(BigInt(serverId) + 1000n) }
  } finally {
    await db.close()
  }
}
