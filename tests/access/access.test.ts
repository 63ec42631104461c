import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachService } from '@gatehouse/testkit/service'
import { callerOf, callersOf, isDiscord, isEdit, permissionsOf, type Row, readTable, send } from './access.ts'
import { partsOf } from './requests.ts'
import { createWorld, type World } from './world.ts'

/** The error code that a caller gets with 403. */
const codes: Readonly<Record<string, string>> = {
  ...{ app: 'credential_not_accepted', bot: 'credential_not_accepted' },
  ...{ timed: 'timed_out', ban: 'banned', 'w/o': 'missing_permission' },
}

/** Sends a request. Returns what differs from the table. */
async function check(world: World, row: Row, name: string, expected: string): Promise<string[]> {
  const caller = await callerOf(world, row, name)
  const { status, text, body } = await send(world, row, caller, await partsOf(world, row, name))
  // The next caller is no member either.
  if (row.route === 'POST /api/invites/:code' && status === 200)
    await caller.client.request('DELETE', `/api/servers/${world.serverId}/members/@me`)
  const about = `${row.route} as ${name}`
  if (String(status) !== expected) return [`${about}: ${status} instead of ${expected}: ${text}`]
  const code = codes[name]
  if (status !== 403 || code === undefined || isDiscord(row)) return []
  // These do what only the owner may, also with the permission.
  if (name === 'bot' ? isEdit(row) : name === 'timed' && row.cells.permission === 'none') return []
  const message =
    name === 'w/o' ? `Missing permission: ${row.cells.permission?.replace(',', ', ')}.` : body.message
  return body.code === code && body.message === message ? [] : [`${about}: ${text} instead of ${code}`]
}

/** Sends the requests of all rows. Returns what differs from the table. */
async function checkAll(world: World): Promise<string[]> {
  const differences: string[] = []
  for (const row of readTable()) {
    if (row.cells.permission !== undefined) await world.setPermission(permissionsOf(row))
    for (const [name, status] of callersOf(row)) differences.push(...(await check(world, row, name, status)))
  }
  return differences
}

eachService(
  'each route responds to each caller with the status of the table (bots/bot-is-member, community/permission-effects)',
  async (_t, service) => {
    const rows = readTable()
    const routes = service.routes.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(rows.map(({ route }) => route).toSorted(), routes.toSorted())
    // ADMINISTRATOR is a column. The other two change what a message has.
    const others = ['none', 'ADMINISTRATOR', 'EMBED_LINKS', 'MENTION_EVERYONE']
    const permissions = new Set([
      ...others,
      ...rows.flatMap(({ cells }) => cells.permission?.split(',') ?? []),
    ])
    assert.deepEqual([...permissions].toSorted(), ['none', ...Object.keys(Permission)].toSorted())
    assert.deepEqual(await checkAll(await createWorld(service)), [])
  },
)

eachService(
  'on a server, each route responds the same to users and bots whom its owner and the target block (community/blocks)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, target, admin } = world.users
    const ids = [
      ...Object.values(world.users).map(({ id }) => id),
      ...Object.values(world.bots).map(({ botId }) => botId),
    ]
    for (const { id: ownId, client } of [owner, target]) {
      for (const userId of ids) {
        // The owner reports a direct message of the administrator.
        if (userId !== ownId && userId !== admin.id) await client.call('createBlock', { userId })
      }
    }
    await target.client.call('createBlock', { userId: admin.id })
    assert.deepEqual(await checkAll(world), [])
  },
)
