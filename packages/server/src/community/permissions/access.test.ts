import assert from 'node:assert/strict'
import {
  allPermissions,
  defaultEveryone,
  directMessagePermissions,
  formatPermissions,
  Permission,
} from '@gatehouse/protocol/permissions'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { AppError } from '../../errors/app-error.ts'
import {
  canViewChannel,
  findChannelAccess,
  findServerAccess,
  listVisibleChannelIds,
  requireChannel,
  requireServer,
} from './access.ts'

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const now = 1_700_000_000_000
const view = formatPermissions(Permission.VIEW_CHANNEL)
const send = formatPermissions(Permission.SEND_MESSAGES)

eachEngine(
  'gives the owner all permissions, a member those of @everyone, and other users no access',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, eve] = [
      await community.createUser('ann'),
      await community.createUser('bob'),
      await community.createUser('eve'),
    ]
    const { server, general } = await community.createServer(ann, bob)
    assert.equal((await findChannelAccess(db, now, ann, general.id))?.permissions, allPermissions)
    const found = await findChannelAccess(db, now, bob, general.id)
    assert.deepEqual(found, {
      channel: {
        id: general.id,
        serverId: server.id,
        type: 'text',
        name: 'general',
        topic: null,
        position: 0,
        parentId: null,
        slowMode: 0,
      },
      server: { id: server.id, name: 'Server', icon: null, ownerId: ann },
      permissions: defaultEveryone,
      timedOutUntil: null,
      roleIds: [],
      unverified: undefined,
    })
    assert.equal(await findChannelAccess(db, now, eve, general.id), undefined)
    assert.equal(await findChannelAccess(db, now, ann, community.ids()), undefined)
  },
)

eachEngine(
  'finds a hidden channel for members with an overwrite that allows VIEW_CHANNEL',
  async (_t, db) => {
    const community = createCommunity(db)
    const ann = await community.createUser('ann')
    const [bob, cem, dan] = [
      await community.createUser('bob'),
      await community.createUser('cem'),
      await community.createUser('dan'),
    ]
    const { server } = await community.createServer(ann, bob, cem, dan)
    const hidden = await community.channels.createChannel({ userId: ann }, server.id, { name: 'hidden' })
    const role = await community.roles.createRole({ userId: ann }, server.id, {
      name: 'Crew',
      permissions: '0',
    })
    await community.members.addRole({ userId: ann }, server.id, bob, role.id)
    const { overwrites } = community
    await overwrites.putOverwrite({ userId: ann }, hidden.id, server.id, {
      type: 'role',
      allow: '0',
      deny: view,
    })
    await overwrites.putOverwrite({ userId: ann }, hidden.id, role.id, {
      type: 'role',
      allow: view,
      deny: send,
    })
    await overwrites.putOverwrite({ userId: ann }, hidden.id, cem, { type: 'member', allow: view, deny: '0' })

    assert.equal(
      (await findChannelAccess(db, now, bob, hidden.id))?.permissions,
      defaultEveryone & ~Permission.SEND_MESSAGES,
    )
    assert.equal((await findChannelAccess(db, now, cem, hidden.id))?.permissions, defaultEveryone)
    assert.equal(await findChannelAccess(db, now, dan, hidden.id), undefined)
    assert.equal(await canViewChannel(db, cem, hidden.id), true)
    assert.equal(await canViewChannel(db, dan, hidden.id), false)
  },
)

eachEngine('listVisibleChannelIds returns the channels for which canViewChannel is true', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.createUser('ann')
  const userIds = [
    ann,
    await community.createUser('bob'),
    await community.createUser('cem'),
    await community.createUser('dan'),
  ]
  const [, bob = '', cem = ''] = userIds
  const { server, general } = await community.createServer(ann, ...userIds.slice(1))
  const role = await community.roles.createRole({ userId: ann }, server.id, {
    name: 'Crew',
    permissions: '0',
  })
  await community.members.addRole({ userId: ann }, server.id, bob, role.id)
  const channels = [general]
  for (const targets of [[server.id], [server.id, role.id], [role.id], [server.id, cem], [cem]]) {
    const channel = await community.channels.createChannel({ userId: ann }, server.id, { name: 'channel' })
    channels.push(channel)
    for (const [index, targetId] of targets.entries()) {
      const bits = index === 0 ? { allow: '0', deny: view } : { allow: view, deny: '0' }
      const type = targetId === cem ? 'member' : 'role'
      await community.overwrites.putOverwrite({ userId: ann }, channel.id, targetId, { type, ...bits })
    }
  }
  const counts: number[] = []
  for (const userId of userIds) {
    const viewable: string[] = []
    for (const { id } of channels) if (await canViewChannel(db, userId, id)) viewable.push(id)
    assert.deepEqual((await listVisibleChannelIds(db, userId, server.id)).toSorted(), viewable.toSorted())
    counts.push(viewable.length)
  }
  assert.deepEqual(counts, [6, 3, 3, 3])
  assert.deepEqual(await listVisibleChannelIds(db, await community.createUser('eve'), server.id), [])
})

eachEngine('finds a direct message for its two users only', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.createUser('ann'),
    await community.createUser('bob'),
    await community.createUser('eve'),
  ]
  await community.createServer(ann, bob)
  const { channel } = await community.directMessages.openDirectMessage(ann, bob)
  for (const userId of [ann, bob]) {
    const found = await findChannelAccess(db, now, userId, channel.id)
    assert.equal(found?.permissions, directMessagePermissions)
    assert.equal(found?.server, undefined)
    assert.equal(found?.channel.serverId, null)
  }
  assert.equal(await findChannelAccess(db, now, eve, channel.id), undefined)
})

eachEngine(
  'requireChannel throws 404 if the user cannot view the channel, and 403 with the missing permissions',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, eve] = [
      await community.createUser('ann'),
      await community.createUser('bob'),
      await community.createUser('eve'),
    ]
    const { general } = await community.createServer(ann, bob)
    await assert.rejects(requireChannel(db, now, eve, general.id), code('not_found'))
    await assert.rejects(
      requireChannel(db, now, eve, general.id, Permission.MANAGE_CHANNELS),
      code('not_found'),
    )
    await assert.rejects(
      requireChannel(db, now, bob, general.id, Permission.SEND_MESSAGES, Permission.MANAGE_WEBHOOKS),
      (error: unknown) =>
        code('missing_permission')(error) &&
        error instanceof Error &&
        /^Missing permission: MANAGE_WEBHOOKS\.$/.test(error.message),
    )
    assert.equal(
      (await requireChannel(db, now, bob, general.id, Permission.SEND_MESSAGES)).channel.id,
      general.id,
    )
  },
)

eachEngine('findServerAccess returns the roles of the member and their highest role', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.createUser('ann'),
    await community.createUser('bob'),
    await community.createUser('eve'),
  ]
  const { server } = await community.createServer(ann, bob)
  const { roles, members } = community
  const kick = formatPermissions(Permission.KICK_MEMBERS)
  const low = await roles.createRole({ userId: ann }, server.id, { name: 'Low', permissions: kick })
  const high = await roles.createRole({ userId: ann }, server.id, {
    name: 'High',
    permissions: '0',
    position: 5,
  })
  assert.deepEqual((await findServerAccess(db, now, bob, server.id))?.member.highestRole, {
    id: server.id,
    position: 0,
  })
  await members.addRole({ userId: ann }, server.id, bob, low.id)
  await members.addRole({ userId: ann }, server.id, bob, high.id)
  const found = await findServerAccess(db, now, bob, server.id)
  assert.deepEqual(found?.member.roles.toSorted(), [low.id, high.id].toSorted())
  assert.deepEqual(found?.member.highestRole, { id: high.id, position: 5 })
  assert.equal(found?.permissions, defaultEveryone | Permission.KICK_MEMBERS)
  assert.equal(found?.member.joinedAt, community.clock.now())
  assert.equal(await findServerAccess(db, now, eve, server.id), undefined)
  await assert.rejects(requireServer(db, now, eve, server.id), code('not_found'))
  await assert.rejects(
    requireServer(db, now, bob, server.id, Permission.MANAGE_ROLES),
    code('missing_permission'),
  )
})
