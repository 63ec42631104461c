import assert from 'node:assert/strict'
import {
  allPermissions,
  defaultEveryone,
  formatPermissions,
  Permission,
} from '@gatehouse/protocol/permissions'
import { AppError } from '../../kit/app-error.ts'
import { eachEngine } from '../../storage/testing.ts'
import { createCommunity } from '../testing.ts'
import { access, mayView, requireChannel, requireServer, serverAccess, visibleChannels } from './access.ts'
import { directMessagePermissions } from './compute.ts'

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const view = formatPermissions(Permission.VIEW_CHANNEL)
const send = formatPermissions(Permission.SEND_MESSAGES)

eachEngine('the owner has all, a member what @everyone has, a stranger no access', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.person('ann'),
    await community.person('bob'),
    await community.person('eve'),
  ]
  const { server, general } = await community.server(ann, bob)
  assert.equal((await access(db, ann, general.id))?.permissions, allPermissions)
  const found = await access(db, bob, general.id)
  assert.deepEqual(found, {
    channel: { id: general.id, serverId: server.id, type: 'text', name: 'general', topic: null, position: 0 },
    server: { id: server.id, name: 'Server', icon: null, ownerId: ann },
    permissions: defaultEveryone,
  })
  assert.equal(await access(db, eve, general.id), undefined)
  assert.equal(await access(db, ann, community.ids()), undefined)
})

eachEngine('a hidden channel is there for those whom a role or their name lets in', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.person('ann')
  const [bob, cem, dan] = [
    await community.person('bob'),
    await community.person('cem'),
    await community.person('dan'),
  ]
  const { server } = await community.server(ann, bob, cem, dan)
  const hidden = await community.channels.createChannel(ann, server.id, { name: 'hidden' })
  const role = await community.roles.createRole(ann, server.id, { name: 'Crew', permissions: '0' })
  await community.members.giveRole(ann, server.id, bob, role.id)
  const { overwrites } = community
  await overwrites.putOverwrite(ann, hidden.id, server.id, { type: 'role', allow: '0', deny: view })
  await overwrites.putOverwrite(ann, hidden.id, role.id, { type: 'role', allow: view, deny: send })
  await overwrites.putOverwrite(ann, hidden.id, cem, { type: 'member', allow: view, deny: '0' })

  assert.equal((await access(db, bob, hidden.id))?.permissions, defaultEveryone & ~Permission.SEND_MESSAGES)
  assert.equal((await access(db, cem, hidden.id))?.permissions, defaultEveryone)
  assert.equal(await access(db, dan, hidden.id), undefined)
  assert.equal(await mayView(db, cem, hidden.id), true)
  assert.equal(await mayView(db, dan, hidden.id), false)
})

eachEngine('what is listed as visible is what may be viewed one by one', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.person('ann')
  const people = [
    ann,
    await community.person('bob'),
    await community.person('cem'),
    await community.person('dan'),
  ]
  const [, bob = '', cem = ''] = people
  const { server, general } = await community.server(ann, ...people.slice(1))
  const role = await community.roles.createRole(ann, server.id, { name: 'Crew', permissions: '0' })
  await community.members.giveRole(ann, server.id, bob, role.id)
  const channels = [general]
  for (const targets of [[server.id], [server.id, role.id], [role.id], [server.id, cem], [cem]]) {
    const channel = await community.channels.createChannel(ann, server.id, { name: 'channel' })
    channels.push(channel)
    for (const [turn, targetId] of targets.entries()) {
      const said = turn === 0 ? { allow: '0', deny: view } : { allow: view, deny: '0' }
      const type = targetId === cem ? 'member' : 'role'
      await community.overwrites.putOverwrite(ann, channel.id, targetId, { type, ...said })
    }
  }
  const counts: number[] = []
  for (const userId of people) {
    const one: string[] = []
    for (const { id } of channels) if (await mayView(db, userId, id)) one.push(id)
    assert.deepEqual((await visibleChannels(db, userId, server.id)).toSorted(), one.toSorted())
    counts.push(one.length)
  }
  assert.deepEqual(counts, [6, 3, 3, 3])
  assert.deepEqual(await visibleChannels(db, await community.person('eve'), server.id), [])
})

eachEngine('a direct message is for the two alone', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.person('ann'),
    await community.person('bob'),
    await community.person('eve'),
  ]
  const { channel } = await db.transaction(tx => community.directMessages.openDirectMessage(tx, ann, bob))
  for (const userId of [ann, bob]) {
    const found = await access(db, userId, channel.id)
    assert.equal(found?.permissions, directMessagePermissions)
    assert.equal(found?.server, undefined)
    assert.equal(found?.channel.serverId, null)
  }
  assert.equal(await access(db, eve, channel.id), undefined)
})

eachEngine(
  'a required channel is 404 for who may not view it and 403 with the name of what lacks',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, eve] = [
      await community.person('ann'),
      await community.person('bob'),
      await community.person('eve'),
    ]
    const { general } = await community.server(ann, bob)
    await assert.rejects(requireChannel(db, eve, general.id), code('not_found'))
    await assert.rejects(requireChannel(db, eve, general.id, Permission.MANAGE_CHANNELS), code('not_found'))
    await assert.rejects(
      requireChannel(db, bob, general.id, Permission.SEND_MESSAGES, Permission.MANAGE_WEBHOOKS),
      (error: unknown) =>
        code('missing_permission')(error) &&
        error instanceof Error &&
        /needs .*MANAGE_WEBHOOKS\./.test(error.message),
    )
    assert.equal((await requireChannel(db, bob, general.id, Permission.SEND_MESSAGES)).channel.id, general.id)
  },
)

eachEngine('access to a server tells the roles of the member and the highest of them', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.person('ann'),
    await community.person('bob'),
    await community.person('eve'),
  ]
  const { server } = await community.server(ann, bob)
  const { roles, members } = community
  const kick = formatPermissions(Permission.KICK_MEMBERS)
  const low = await roles.createRole(ann, server.id, { name: 'Low', permissions: kick })
  const high = await roles.createRole(ann, server.id, { name: 'High', permissions: '0', position: 5 })
  assert.deepEqual((await serverAccess(db, bob, server.id))?.member.highest, { id: server.id, position: 0 })
  await members.giveRole(ann, server.id, bob, low.id)
  await members.giveRole(ann, server.id, bob, high.id)
  const found = await serverAccess(db, bob, server.id)
  assert.deepEqual(found?.member.roles.toSorted(), [low.id, high.id].toSorted())
  assert.deepEqual(found?.member.highest, { id: high.id, position: 5 })
  assert.equal(found?.permissions, defaultEveryone | Permission.KICK_MEMBERS)
  assert.equal(found?.member.joinedAt, community.clock.now())
  assert.equal(await serverAccess(db, eve, server.id), undefined)
  await assert.rejects(requireServer(db, eve, server.id), code('not_found'))
  await assert.rejects(requireServer(db, bob, server.id, Permission.MANAGE_ROLES), code('missing_permission'))
})
