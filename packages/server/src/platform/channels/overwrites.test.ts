import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { AppError } from '../../kit/app-error.ts'
import { eachEngine } from '../../storage/testing.ts'
import { eachService } from '../../testing.ts'
import { createCommunity, found, register } from '../testing.ts'

const unknown = '1234567890123456789'
const send = formatPermissions(Permission.SEND_MESSAGES)
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected

eachService(
  'PUT · DELETE /api/channels/:id/overwrites/:targetId: 204, 400, 401, 403, 404',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server, general } = await found(ann, bob)
    const path = (targetId: string) => `/api/channels/${general.id}/overwrites/${targetId}`
    const deny = { type: 'role', allow: '0', deny: send }
    {
      const reply = await ann.client.json('PUT', path(server.id), deny)
      assert.equal(reply.status, 204)
      assert.equal(reply.text, '')
      const say = () => bob.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'hello' })
      assert.equal((await say()).status, 403)
      assert.equal(
        (await ann.client.json('PUT', path(bob.id), { type: 'member', allow: send, deny: '0' })).status,
        204,
      )
      assert.equal((await say()).status, 201)
      assert.equal((await ann.client.json('DELETE', path(bob.id))).status, 204)
      assert.equal((await say()).status, 403)
    }
    for (const body of [
      { type: 'role', allow: send, deny: send },
      { type: 'role', allow: '1', deny: '0' },
      { type: 'role', allow: '-1', deny: '0' },
      { type: 'role', allow: 2048, deny: '0' },
      { type: 'group', allow: '0', deny: '0' },
      { type: 'role', allow: '0' },
    ]) {
      const reply = await ann.client.json('PUT', path(server.id), body)
      assert.equal(reply.status, 400, JSON.stringify(body))
      assert.equal(reply.body.code, 'validation_failed')
    }
    assert.equal((await service.client().json('PUT', path(server.id), deny)).status, 401)
    assert.equal((await service.client().json('DELETE', path(server.id))).status, 401)
    assert.equal((await bob.client.json('PUT', path(server.id), deny)).status, 403)
    assert.equal((await bob.client.json('DELETE', path(server.id))).status, 403)
    assert.equal((await eve.client.json('PUT', path(server.id), deny)).status, 404)
    {
      const other = await found(eve)
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

eachEngine('nobody gives or takes in a channel what they do not hold there (D64)', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, cem] = [
    await community.person('ann'),
    await community.person('bob'),
    await community.person('cem'),
  ]
  const { server, general } = await community.server(ann, bob, cem)
  const { overwrites, roles, members } = community
  const manage = formatPermissions(Permission.MANAGE_CHANNELS)
  const role = await roles.createRole(ann, server.id, { name: 'Keeper', permissions: manage })
  await members.giveRole(ann, server.id, bob, role.id)
  const pin = formatPermissions(Permission.MANAGE_MESSAGES)
  const member = (allow: string, deny: string) => ({ type: 'member' as const, allow, deny })
  await assert.rejects(
    overwrites.putOverwrite(bob, general.id, cem, member(pin, '0')),
    code('missing_permission'),
  )
  await assert.rejects(
    overwrites.putOverwrite(bob, general.id, bob, member(pin, '0')),
    code('missing_permission'),
  )
  await assert.rejects(
    overwrites.putOverwrite(bob, general.id, cem, member('0', pin)),
    code('missing_permission'),
  )
  await overwrites.putOverwrite(bob, general.id, cem, member('0', send))
  // What is there already and stays is not given by who changes the rest.
  await overwrites.putOverwrite(ann, general.id, cem, member(pin, send))
  await overwrites.putOverwrite(bob, general.id, cem, member(pin, '0'))
  await assert.rejects(overwrites.deleteOverwrite(bob, general.id, cem), code('missing_permission'))
  await assert.rejects(
    overwrites.putOverwrite(bob, general.id, cem, member('0', '0')),
    code('missing_permission'),
  )
})

eachEngine(
  'an overwrite of a role or member above one’s own highest is out of reach (D64)',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, cem] = [
      await community.person('ann'),
      await community.person('bob'),
      await community.person('cem'),
    ]
    const { server, general } = await community.server(ann, bob, cem)
    const { overwrites, roles, members } = community
    const permissions = formatPermissions(Permission.MANAGE_CHANNELS)
    const low = await roles.createRole(ann, server.id, { name: 'Low', permissions })
    const high = await roles.createRole(ann, server.id, { name: 'High', permissions: '0', position: 9 })
    await members.giveRole(ann, server.id, bob, low.id)
    await members.giveRole(ann, server.id, cem, high.id)
    const deny = { allow: '0', deny: send }
    const above = (targetId: string, type: 'role' | 'member') =>
      assert.rejects(
        overwrites.putOverwrite(bob, general.id, targetId, { type, ...deny }),
        code('missing_permission'),
      )
    await above(high.id, 'role')
    await above(cem, 'member')
    await overwrites.putOverwrite(ann, general.id, high.id, { type: 'role', ...deny })
    await assert.rejects(overwrites.deleteOverwrite(bob, general.id, high.id), code('missing_permission'))
    await overwrites.putOverwrite(bob, general.id, low.id, { type: 'role', ...deny })
  },
)

eachEngine('who was denied something does not escape by leaving and coming back', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  const { server, general } = await community.server(ann, bob)
  await community.overwrites.putOverwrite(ann, general.id, bob, { type: 'member', allow: '0', deny: send })
  await community.members.dismiss(bob, server.id, bob)
  const invite = await community.invites.createInvite(ann, server.id, {})
  await community.invites.join(bob, invite.code)
  await assert.rejects(
    community.conversation.say({ kind: 'session', userId: bob }, general.id, { content: 'hello' }),
    code('missing_permission'),
  )
  await community.members.dismiss(bob, server.id, bob)
  await community.overwrites.deleteOverwrite(ann, general.id, bob)
  assert.deepEqual((await community.channels.getChannel(ann, general.id)).permissionOverwrites, [])
})
