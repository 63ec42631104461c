import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createCommunity, createServer, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { AppError } from '../../kit/app-error.ts'

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
    const role = await roles.createRole(ann, server.id, { name: 'Keeper', permissions: manage })
    await members.addRole(ann, server.id, bob, role.id)
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
    // Permissions that the change keeps need no check.
    await overwrites.putOverwrite(ann, general.id, cem, member(pin, send))
    await overwrites.putOverwrite(bob, general.id, cem, member(pin, '0'))
    await assert.rejects(overwrites.deleteOverwrite(bob, general.id, cem), code('missing_permission'))
    await assert.rejects(
      overwrites.putOverwrite(bob, general.id, cem, member('0', '0')),
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
    const low = await roles.createRole(ann, server.id, { name: 'Low', permissions })
    const high = await roles.createRole(ann, server.id, { name: 'High', permissions: '0', position: 9 })
    await members.addRole(ann, server.id, bob, low.id)
    await members.addRole(ann, server.id, cem, high.id)
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

eachEngine(
  'the overwrite of a member still applies after they leave the server and join again',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
    const { server, general } = await community.createServer(ann, bob)
    await community.overwrites.putOverwrite(ann, general.id, bob, { type: 'member', allow: '0', deny: send })
    await community.members.removeMember(bob, server.id, bob)
    const invite = await community.invites.createInvite(ann, server.id, {})
    await community.invites.acceptInvite(bob, invite.code)
    await assert.rejects(
      community.messages.createMessage({ kind: 'session', userId: bob }, general.id, { content: 'hello' }),
      code('missing_permission'),
    )
    await community.members.removeMember(bob, server.id, bob)
    await community.overwrites.deleteOverwrite(ann, general.id, bob)
    assert.deepEqual((await community.channels.getChannel(ann, general.id)).permissionOverwrites, [])
  },
)
