import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { assertLimitReached, assertOneLeft, oldIds } from '@gatehouse/testkit/caps'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { AppError } from '../../errors/app-error.ts'
import { list } from '../../storage/database.ts'

const unknown = '1234567890123456789'
const send = formatPermissions(Permission.SEND_MESSAGES)
const view = formatPermissions(Permission.VIEW_CHANNEL)
const members = ({ id }: { id: string }) => `/api/servers/${id}/members`
const bans = ({ id }: { id: string }) => `/api/servers/${id}/bans`
type PrivateChannel = Awaited<ReturnType<typeof createPrivateChannel>>
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected

eachService(
  'PUT · DELETE /api/channels/:id/overwrites/:targetId: 204, 400, 403, 404',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server, general } = await createServer(ann, bob)
    const path = (targetId: string) => `/api/channels/${general.id}/overwrites/${targetId}`
    const deny = { type: 'role', allow: '0', deny: send }
    {
      const reply = await ann.client.json('PUT', path(server.id), deny)
      assert.equal(reply.status, 204)
      assert.equal(reply.text, '')
      const post = () => bob.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'hello' })
      assert.equal((await post()).status, 403)
      assert.equal(
        (await ann.client.json('PUT', path(bob.id), { type: 'member', allow: send, deny: '0' })).status,
        204,
      )
      assert.equal((await post()).status, 201)
      assert.equal((await ann.client.json('DELETE', path(bob.id))).status, 204)
      assert.equal((await post()).status, 403)
    }
    for (const body of [
      { type: 'role', allow: send, deny: send },
      { type: 'role', allow: '256', deny: '0' },
      { type: 'role', allow: '-1', deny: '0' },
      { type: 'role', allow: 2048, deny: '0' },
      { type: 'group', allow: '0', deny: '0' },
      { type: 'role', allow: '0' },
    ]) {
      const reply = await ann.client.json('PUT', path(server.id), body)
      assert.equal(reply.status, 400, JSON.stringify(body))
      assert.equal(reply.body.code, 'validation_failed')
    }
    assert.equal((await eve.client.json('PUT', path(server.id), deny)).status, 404)
    {
      const other = await createServer(eve)
      for (const [type, id] of [
        ['role', other.server.id],
        ['role', unknown],
        ['member', eve.id],
        ['member', server.id],
        ['role', bob.id],
      ]) {
        const reply = await ann.client.json('PUT', path(id ?? ''), { type, allow: '0', deny: '0' })
        assert.equal(reply.status, 404, `${type} ${id}`)
      }
      assert.equal((await ann.client.json('DELETE', path(bob.id))).status, 404)
    }
  },
)

eachService(
  'the overwrite of a role overrides that of @everyone, and that of the member overrides both',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server, general } = await createServer(ann, bob)
    const role = await ann.client.json('POST', `/api/servers/${server.id}/roles`, {
      name: 'Keeper',
      permissions: '0',
    })
    assert.equal(role.status, 201)
    await ann.client.request('PUT', `${members(server)}/${bob.id}/roles/${role.body.id}`)
    const post = async () =>
      (await bob.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'hello' })).status
    const [allow, deny] = [
      { allow: send, deny: '0' },
      { allow: '0', deny: send },
    ]
    for (const [type, targetId, bits, expected] of [
      ['role', server.id, deny, 403],
      ['role', role.body.id, allow, 201],
      ['member', bob.id, deny, 403],
      ['role', server.id, allow, 403],
      ['role', role.body.id, deny, 403],
      ['member', bob.id, allow, 201],
      ['role', server.id, deny, 201],
    ] as const) {
      const path = `/api/channels/${general.id}/overwrites/${targetId}`
      assert.equal((await ann.client.json('PUT', path, { type, ...bits })).status, 204)
      assert.equal(await post(), expected, `${type} ${targetId}`)
    }
  },
)

eachEngine(
  'rejects an overwrite with permissions that the caller does not have in the channel (community/permission-hierarchy)',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, cem] = [
      await community.createUser('ann'),
      await community.createUser('bob'),
      await community.createUser('cem'),
    ]
    const { server, general } = await community.createServer(ann, bob, cem)
    const { overwrites, roles, members } = community
    const manage = formatPermissions(Permission.MANAGE_CHANNELS)
    const role = await roles.createRole({ userId: ann }, server.id, { name: 'Keeper', permissions: manage })
    await members.addRole({ userId: ann }, server.id, bob, role.id)
    const pin = formatPermissions(Permission.MANAGE_MESSAGES)
    const member = (allow: string, deny: string) => ({ type: 'member' as const, allow, deny })
    await assert.rejects(
      overwrites.putOverwrite({ userId: bob }, general.id, cem, member(pin, '0')),
      code('missing_permission'),
    )
    await assert.rejects(
      overwrites.putOverwrite({ userId: bob }, general.id, bob, member(pin, '0')),
      code('missing_permission'),
    )
    await assert.rejects(
      overwrites.putOverwrite({ userId: bob }, general.id, cem, member('0', pin)),
      code('missing_permission'),
    )
    await overwrites.putOverwrite({ userId: bob }, general.id, cem, member('0', send))
    // Permissions that the change keeps need no check.
    await overwrites.putOverwrite({ userId: ann }, general.id, cem, member(pin, send))
    await overwrites.putOverwrite({ userId: bob }, general.id, cem, member(pin, '0'))
    await assert.rejects(
      overwrites.deleteOverwrite({ userId: bob }, general.id, cem),
      code('missing_permission'),
    )
    await assert.rejects(
      overwrites.putOverwrite({ userId: bob }, general.id, cem, member('0', '0')),
      code('missing_permission'),
    )
  },
)

eachEngine(
  'rejects an overwrite for a role or member above the highest role of the caller (community/permission-hierarchy)',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, cem] = [
      await community.createUser('ann'),
      await community.createUser('bob'),
      await community.createUser('cem'),
    ]
    const { server, general } = await community.createServer(ann, bob, cem)
    const { overwrites, roles, members } = community
    const permissions = formatPermissions(Permission.MANAGE_CHANNELS)
    const low = await roles.createRole({ userId: ann }, server.id, { name: 'Low', permissions })
    const high = await roles.createRole({ userId: ann }, server.id, {
      name: 'High',
      permissions: '0',
      position: 9,
    })
    await members.addRole({ userId: ann }, server.id, bob, low.id)
    await members.addRole({ userId: ann }, server.id, cem, high.id)
    const deny = { allow: '0', deny: send }
    const above = (targetId: string, type: 'role' | 'member') =>
      assert.rejects(
        overwrites.putOverwrite({ userId: bob }, general.id, targetId, { type, ...deny }),
        code('missing_permission'),
      )
    await above(high.id, 'role')
    await above(cem, 'member')
    await overwrites.putOverwrite({ userId: ann }, general.id, high.id, { type: 'role', ...deny })
    await assert.rejects(
      overwrites.deleteOverwrite({ userId: bob }, general.id, high.id),
      code('missing_permission'),
    )
    await overwrites.putOverwrite({ userId: bob }, general.id, low.id, { type: 'role', ...deny })
  },
)

/** A private channel that bob can view through his overwrite, and a function that lets him join again. */
async function createPrivateChannel(service: TestService) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  const invite = (await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})).body.code
  const path = (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'private' })).body
    .id
  const channel = `/api/channels/${path}`
  const put = (targetId: string, body: object) =>
    ann.client.request('PUT', `${channel}/overwrites/${targetId}`, body)
  await put(server.id, { type: 'role', allow: '0', deny: view })
  await put(bob.id, { type: 'member', allow: view, deny: '0' })
  const join = () => bob.client.json('POST', `/api/invites/${invite}`)
  const overwriteOfBob = async () =>
    (await ann.client.get(channel)).body.permissionOverwrites.find(
      (overwrite: { id: string }) => overwrite.id === bob.id,
    )
  return { ann, bob, server, channel, put, join, overwriteOfBob }
}

for (const [name, end] of [
  ['kicked', async ({ ann, bob, server }) => ann.client.json('DELETE', `${members(server)}/${bob.id}`)],
  ['banned', async ({ ann, bob, server }) => ann.client.json('PUT', `${bans(server)}/${bob.id}`, {})],
  ['gone', async ({ bob, server }) => bob.client.json('DELETE', `${members(server)}/@me`)],
] as const satisfies [string, (world: PrivateChannel) => Promise<TestResponse>][]) {
  eachService(
    `a member who was ${name} and joins again does not see the private channel (community/removed-member)`,
    async (_t, service) => {
      const world = await createPrivateChannel(service)
      const { ann, bob, server, channel, join, overwriteOfBob } = world
      assert.equal((await bob.client.get(channel)).status, 200)
      assert.equal((await end(world)).status, 204)
      assert.equal(await overwriteOfBob(), undefined)
      await ann.client.json('DELETE', `${bans(server)}/${bob.id}`)
      assert.equal((await join()).status, 200)
      assert.equal((await bob.client.get(channel)).status, 404)
    },
  )
}

eachService(
  'a kick deletes denials too; a member who leaves keeps them (community/removed-member)',
  async (_t, service) => {
    const { ann, bob, server, put, join, overwriteOfBob } = await createPrivateChannel(service)
    await put(bob.id, { type: 'member', allow: view, deny: send })
    await bob.client.request('DELETE', `${members(server)}/@me`)
    const denied = { id: bob.id, type: 'member', allow: '0', deny: send }
    assert.deepEqual(await overwriteOfBob(), denied)
    await join()
    assert.deepEqual(await overwriteOfBob(), denied)
    await ann.client.request('DELETE', `${members(server)}/${bob.id}`)
    assert.equal(await overwriteOfBob(), undefined)
  },
)

eachService(
  'a kick leaves no overwrite that is stored at the same time (community/removed-member)',
  async (_t, service) => {
    const { ann, bob, server, channel, join, overwriteOfBob } = await createPrivateChannel(service)
    for (const order of [0, 1]) {
      const requests = [
        () => ann.client.json('DELETE', `${members(server)}/${bob.id}`),
        () =>
          ann.client.json('PUT', `${channel}/overwrites/${bob.id}`, {
            type: 'member',
            allow: view,
            deny: '0',
          }),
      ] as const
      const [first, second] = order === 0 ? requests : [requests[1], requests[0]]
      await sendWhileLocked(
        service,
        tx => tx.get`SELECT 1 AS one FROM servers WHERE id = ${server.id} FOR UPDATE`,
        first,
        second,
      )
      assert.equal(await overwriteOfBob(), undefined)
      await join()
    }
  },
)

eachEngine(
  'the removal of a member publishes the changed channels, and keeps other overwrites (community/removed-member)',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, cem] = [
      await community.createUser('ann'),
      await community.createUser('bob'),
      await community.createUser('cem'),
    ]
    const { server, general } = await community.createServer(ann, bob, cem)
    const other = await community.createServer(ann, bob)
    const allowed = { type: 'member', allow: send, deny: '0' } as const
    for (const channel of [general, other.general]) {
      await community.overwrites.putOverwrite({ userId: ann }, channel.id, bob, allowed)
    }
    await community.overwrites.putOverwrite({ userId: ann }, general.id, cem, allowed)
    community.published.length = 0
    await community.members.removeMember({ userId: ann }, server.id, bob)
    const updates = payloads(community.published, `server.${server.id}`, 'CHANNEL_UPDATE')
    assert.deepEqual(updates, [{ ...general, permissionOverwrites: [{ id: cem, ...allowed }] }])
    const kept = await community.channels.getChannel(ann, other.general.id)
    assert.deepEqual(kept.permissionOverwrites, [{ id: bob, ...allowed }])
  },
)

eachEngine(
  'the last CHANNEL_UPDATE of concurrent changes contains all of them, and none follows CHANNEL_DELETE',
  async (_t, db) => {
    const community = createCommunity(db)
    const { channels, overwrites, published } = community
    const ann = await community.createUser('ann')
    const { server } = await community.createServer(ann)
    for (let i = 0; i < 10; i++) {
      const { id } = await channels.createChannel({ userId: ann }, server.id, { name: 'new' })
      const put = (deny: string) =>
        overwrites.putOverwrite({ userId: ann }, id, server.id, { type: 'role', allow: '0', deny })
      await Promise.all([channels.updateChannel({ userId: ann }, id, { name: `name-${i}` }), put(send)])
      const channel = await channels.getChannel(ann, id)
      assert.equal(channel.name, `name-${i}`)
      assert.equal(channel.permissionOverwrites[0]?.deny, send)
      const events = () => published.filter(({ d }) => (d as { id?: string }).id === id)
      assert.deepEqual(events().at(-1)?.d, channel)
      await Promise.allSettled([
        channels.deleteChannel({ userId: ann }, id),
        put('0'),
        channels.updateChannel({ userId: ann }, id, { name: 'late' }),
      ])
      assert.equal(events().at(-1)?.t, 'CHANNEL_DELETE')
    }
  },
)

eachService(
  'PUT /api/channels/:id/overwrites/:targetId: 409 for the 251st overwrite, 204 for a change ' +
    '(limits/cap-exact, limits/cap-counting)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server, general } = await createServer(ann)
    const roleIds = oldIds(255)
    await service.db.transaction(async tx => {
      // 249 roles with an overwrite and 6 without.
      for (const [n, id] of roleIds.entries()) {
        await tx.run`
          INSERT INTO roles (id, server_id, name, permissions, color, position)
          VALUES (${id}, ${server.id}, 'old', '0', 0, 1)`
        if (n < 6) continue
        await tx.run`
          INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
          VALUES (${general.id}, ${id}, 'role', '0', '0')`
      }
    })
    const put = (n: number, deny = '0') =>
      ann.client.json('PUT', `/api/channels/${general.id}/overwrites/${roleIds[n]}`, {
        type: 'role',
        allow: '0',
        deny,
      })
    const expected = {
      limit: 'overwrites',
      message: 'A channel has permission overwrites for at most 250 roles and members.',
    }
    await assertOneLeft(service, 'overwrites', put, expected)
    const stored = async () => (await ann.client.get(`/api/channels/${general.id}`)).body.permissionOverwrites
    assert.equal((await stored()).length, 250)
    assert.equal((await put(6, send)).status, 204)
    assert.ok((await stored()).some((overwrite: { deny: string }) => overwrite.deny === send))
    // Each channel has its own overwrites.
    const other = await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })
    const path = `/api/channels/${other.body.id}/overwrites/${server.id}`
    const everyone = { type: 'role', allow: '0', deny: send }
    assert.equal((await ann.client.json('PUT', path, everyone)).status, 204)
    assertLimitReached(
      await ann.client.json('PUT', `/api/channels/${general.id}/overwrites/${server.id}`, everyone),
      expected,
    )
  },
)

eachService(
  'PUT /api/channels/:id/overwrites/:targetId: 409, the channels of a server have at most ' +
    '2000 overwrites (limits/cap-exact)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server, general } = await createServer(ann)
    const roleIds = oldIds(249)
    const channelIds = oldIds(258).slice(249)
    await service.db.transaction(async tx => {
      for (const id of roleIds) {
        await tx.run`
          INSERT INTO roles (id, server_id, name, permissions, color, position)
          VALUES (${id}, ${server.id}, 'old', '0', 0, 1)`
      }
      for (const id of channelIds) {
        await tx.run`
          INSERT INTO channels (id, server_id, type, name, position, created_at)
          VALUES (${id}, ${server.id}, 'text', 'old', 1, 0)`
      }
      // 8 × 249 and 7, so that one is left.
      await tx.run`
        INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
        SELECT c.id, r.id, 'role', '0', '0' FROM channels c CROSS JOIN roles r
        WHERE c.id IN ${list(channelIds)} AND r.id IN ${list(roleIds)}
          AND (c.id <> ${channelIds[0] ?? ''} OR r.id IN ${list(roleIds.slice(0, 7))})`
    })
    const put = (n: number) =>
      ann.client.json(
        'PUT',
        `/api/channels/${n % 2 ? general.id : channelIds[0]}/overwrites/${roleIds[100 + n]}`,
        {
          type: 'role',
          allow: '0',
          deny: '0',
        },
      )
    await assertOneLeft(service, 'overwrites', put, {
      limit: 'serverOverwrites',
      message: 'The channels of a server have at most 2,000 permission overwrites together.',
    })
  },
)
