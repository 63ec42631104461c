import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachEngine } from '../../storage/testing.ts'
import { createCommunity } from '../testing.ts'
import { audience, visibleChannels } from './index.ts'

const view = Permission.VIEW_CHANNEL.toString()

eachEngine('the audience of a server is what visibleChannels says of each member', async (_t, db) => {
  const community = createCommunity(db)
  const { channels, overwrites, roles, members } = community
  const [ada, ben, cem, dan, eve] = [
    await community.person('ada'),
    await community.person('ben'),
    await community.person('cem'),
    await community.person('dan'),
    await community.person('eve'),
  ]
  const { server, general } = await community.server(ada, ben, cem, dan)
  const secret = await channels.createChannel(ada, server.id, { name: 'secret' })
  const inner = await channels.createChannel(ada, server.id, { name: 'inner' })
  const insider = await roles.createRole(ada, server.id, { name: 'insider', permissions: '0' })
  const outcast = await roles.createRole(ada, server.id, { name: 'outcast', permissions: '0' })
  const admin = await roles.createRole(ada, server.id, {
    name: 'admin',
    permissions: Permission.ADMINISTRATOR.toString(),
  })
  await overwrites.putOverwrite(ada, secret.id, server.id, { type: 'role', allow: '0', deny: view })
  await overwrites.putOverwrite(ada, secret.id, insider.id, { type: 'role', allow: view, deny: '0' })
  await overwrites.putOverwrite(ada, inner.id, outcast.id, { type: 'role', allow: '0', deny: view })
  await overwrites.putOverwrite(ada, inner.id, cem, { type: 'member', allow: view, deny: '0' })
  await overwrites.putOverwrite(ada, general.id, ben, { type: 'member', allow: '0', deny: view })
  await members.giveRole(ada, server.id, ben, insider.id)
  await members.giveRole(ada, server.id, ben, outcast.id)
  await members.giveRole(ada, server.id, cem, outcast.id)
  await members.giveRole(ada, server.id, dan, admin.id)

  const userIds = [ada, ben, cem, dan, eve]
  const { visible, channelIds } = await audience(db, server.id, userIds)
  assert.deepEqual(channelIds.sort(), [general.id, secret.id, inner.id].sort())
  const one = [...visible].map(([id, seen]) => [id, [...seen].sort()])
  const other = await Promise.all(
    userIds.slice(0, 4).map(async id => [id, (await visibleChannels(db, id, server.id)).sort()]),
  )
  assert.deepEqual(one.sort(), other.sort())
  assert.deepEqual([...(visible.get(ben) ?? [])], [secret.id])
  assert.deepEqual([...(visible.get(cem) ?? [])].sort(), [general.id, inner.id].sort())
  assert.equal(visible.has(eve), false)
})

eachEngine('members who stand alike share one set', async (_t, db) => {
  const community = createCommunity(db)
  const [ada, ben, cem] = [
    await community.person('ada'),
    await community.person('ben'),
    await community.person('cem'),
  ]
  const { server } = await community.server(ada, ben, cem)
  const { visible } = await audience(db, server.id, [ben, cem])
  assert.equal(visible.get(ben), visible.get(cem))
  assert.equal(visible.get(ben)?.size, 1)
})

eachEngine('a server that is gone has no audience', async (_t, db) => {
  const community = createCommunity(db)
  const ada = await community.person('ada')
  const { visible, channelIds } = await audience(db, '100000000000000000', [ada])
  assert.deepEqual([visible.size, channelIds], [0, []])
})
