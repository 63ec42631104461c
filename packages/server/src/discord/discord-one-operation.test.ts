import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { png } from '@gatehouse/testkit/images'
import { type DiscordBotSetup, eachDiscordBot } from './discord-testing.ts'

const { VIEW_CHANNEL, MANAGE_CHANNELS, MANAGE_ROLES, MANAGE_SERVER, MODERATE_MEMBERS } = Permission
const permissions = VIEW_CHANNEL | MANAGE_CHANNELS | MANAGE_ROLES | MANAGE_SERVER | MODERATE_MEMBERS
const icon = `data:image/png;base64,${Buffer.from(png).toString('base64')}`

/** The bot has the position 5. */
async function raiseBot({ owner, server }: DiscordBotSetup): Promise<string> {
  const roles = await owner.client.call('listRoles', { id: server.id })
  const roleId = roles.find(({ managed }) => managed)?.id ?? ''
  await owner.client.call('updateRole', { id: server.id, roleId, body: { position: 5 } })
  return roleId
}

function createRole({ owner, server }: DiscordBotSetup, name: string, position: number) {
  const body = { name, permissions: '0', position }
  return owner.client.call('createRole', { id: server.id, body })
}

eachDiscordBot(
  'a refused change of a channel does not move it (discord/operations)',
  async ({ owner, server, general, call, send }) => {
    const category = await call('POST', `/guilds/${server.id}/channels`, { name: 'cat', type: 4 })
    const hidden = await owner.client.call('createChannel', {
      ...{ id: server.id, body: { name: 'staff', type: 'category', private: { roles: [], members: [] } } },
    })
    const before = await owner.client.call('getChannel', { id: general.id })
    const kick = [{ id: server.id, type: 0, allow: '2', deny: '0' }]
    for (const [body, status] of [
      [{ parent_id: category.id, name: '' }, 400],
      [{ parent_id: category.id, permission_overwrites: kick }, 403],
      [{ parent_id: hidden.id, name: 'moved' }, 400],
    ] as const) {
      assert.equal((await send('PATCH', `/channels/${general.id}`, body)).status, status)
      assert.deepEqual(await owner.client.call('getChannel', { id: general.id }), before)
    }
    const moved = await call('PATCH', `/channels/${general.id}`, { parent_id: category.id, name: 'moved' })
    assert.deepEqual([moved.parent_id, moved.name], [category.id, 'moved'])
  },
  { permissions },
)

eachDiscordBot(
  'a refused change of a server changes neither name nor icon (discord/operations)',
  async ({ owner, server, call, send }) => {
    const broken = `data:image/png;base64,${Buffer.from('no image').toString('base64')}`
    for (const body of [
      { name: 'Other', icon: broken },
      { name: 'Other', icon: 'data:text/html,x' },
      { name: '', icon },
    ]) {
      const reply = await send('PATCH', `/guilds/${server.id}`, body)
      assert.deepEqual([reply.status, Object.keys(reply.body.errors)], [400, [body.name ? 'icon' : 'name']])
      assert.deepEqual(await owner.client.call('getServer', { id: server.id }), server)
    }
    const changed = await call('PATCH', `/guilds/${server.id}`, { name: 'Other', icon })
    assert.equal(changed.name, 'Other')
    assert.notEqual(changed.icon, null)
    const [entry, next] = await owner.client.call('listAuditLog', { id: server.id })
    assert.deepEqual(
      [entry?.action, entry?.changes.map(({ key }) => key)],
      ['SERVER_UPDATE', ['name', 'icon']],
    )
    assert.notEqual(next?.action, 'SERVER_UPDATE')
    assert.equal((await call('PATCH', `/guilds/${server.id}`, { icon: null })).icon, null)
  },
  { permissions },
)

eachDiscordBot(
  'a refused change of a member changes neither roles nor the time-out (discord/operations, community/member-roles)',
  async setup => {
    const { owner, server, ann, service, call, send } = setup
    await raiseBot(setup)
    const [first, second, above] = [
      await createRole(setup, 'first', 1),
      await createRole(setup, 'second', 1),
      await createRole(setup, 'above', 9),
    ]
    await owner.client.call('addMemberRole', { id: server.id, userId: ann.id, roleId: first.id })
    const path = `/guilds/${server.id}/members/${ann.id}`
    const until = new Date(service.clock.now() + 60_000).toISOString()
    const before = await call('GET', path)
    for (const [body, code] of [
      [{ roles: [second.id, above.id], communication_disabled_until: until }, 50013],
      [{ roles: [second.id, '1000000000000000001'] }, 10011],
      [{ roles: [second.id], communication_disabled_until: '2020-01-01T00:00:00Z' }, 50035],
    ] as const) {
      assert.equal((await send('PATCH', path, body)).body.code, code)
      assert.deepEqual(await call('GET', path), before)
    }
    const body = { roles: [second.id, server.id], communication_disabled_until: until }
    const changed = await call('PATCH', path, body)
    assert.deepEqual(changed.roles, [second.id])
    assert.notEqual(changed.communication_disabled_until, null)
    const [roles, timeout] = await owner.client.call('listAuditLog', { id: server.id })
    assert.deepEqual([roles?.action, timeout?.action], ['MEMBER_ROLE_UPDATE', 'MEMBER_UPDATE'])
    const [{ before: lost, after: got } = { before: null, after: null }] = roles?.changes ?? []
    assert.deepEqual(
      [lost, got].map(json => JSON.parse(json ?? '[]')[0]?.name),
      ['first', 'second'],
    )
  },
  { permissions },
)

eachDiscordBot(
  'the order of roles and not their numbers decide about a move, of which all is done or nothing ' +
    '(discord/role-positions, community/role-places)',
  async setup => {
    const { owner, server, call, send } = setup
    // All have the position 1; the older one is higher.
    const [a, b] = [await createRole(setup, 'A', 1), await createRole(setup, 'B', 1)]
    const path = `/guilds/${server.id}/roles`
    const namesOf = (roles: { name: string }[]) => roles.map(({ name }) => name)
    assert.deepEqual(namesOf(await call('GET', path)), ['@everyone', 'B', 'A', 'Helper'])
    const swapped = await call('PATCH', path, [
      { id: a.id, position: 1 },
      { id: b.id, position: 2 },
    ])
    assert.deepEqual(namesOf(swapped), ['@everyone', 'A', 'B', 'Helper'])

    const above = await createRole(setup, 'Above', 9)
    const before = await owner.client.call('listRoles', { id: server.id })
    const refused = await send('PATCH', path, [
      { id: b.id, position: 1 },
      { id: a.id, position: 4 },
    ])
    assert.deepEqual([refused.status, refused.body.code], [403, 50013])
    assert.equal((await send('PATCH', path, [{ id: above.id, position: 1 }])).status, 403)
    assert.deepEqual(await owner.client.call('listRoles', { id: server.id }), before)
  },
  { permissions },
)
