import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { listVisibleChannelIds, readChannelVisibility } from './index.ts'

const view = Permission.VIEW_CHANNEL.toString()

eachEngine(
  'readChannelVisibility returns the same channels as listVisibleChannelIds for each member',
  async (_t, db) => {
    const community = createCommunity(db)
    const { channels, overwrites, roles, members } = community
    const [ada, ben, cem, dan, eve] = [
      await community.createUser('ada'),
      await community.createUser('ben'),
      await community.createUser('cem'),
      await community.createUser('dan'),
      await community.createUser('eve'),
    ]
    const { server, general } = await community.createServer(ada, ben, cem, dan)
    const secret = await channels.createChannel(ada, server.id, { name: 'secret' })
    const inner = await channels.createChannel(ada, server.id, { name: 'inner' })
    const insider = await roles.createRole(ada, server.id, { name: 'insider', permissions: '0' })
    const excluded = await roles.createRole(ada, server.id, { name: 'excluded', permissions: '0' })
    const admin = await roles.createRole(ada, server.id, {
      name: 'admin',
      permissions: Permission.ADMINISTRATOR.toString(),
    })
    await overwrites.putOverwrite(ada, secret.id, server.id, { type: 'role', allow: '0', deny: view })
    await overwrites.putOverwrite(ada, secret.id, insider.id, { type: 'role', allow: view, deny: '0' })
    await overwrites.putOverwrite(ada, inner.id, excluded.id, { type: 'role', allow: '0', deny: view })
    await overwrites.putOverwrite(ada, inner.id, cem, { type: 'member', allow: view, deny: '0' })
    await overwrites.putOverwrite(ada, general.id, ben, { type: 'member', allow: '0', deny: view })
    await members.addRole(ada, server.id, ben, insider.id)
    await members.addRole(ada, server.id, ben, excluded.id)
    await members.addRole(ada, server.id, cem, excluded.id)
    await members.addRole(ada, server.id, dan, admin.id)

    const userIds = [ada, ben, cem, dan, eve]
    const { channelIdsByUser: visible, channelIds } = await readChannelVisibility(db, server.id, userIds)
    assert.deepEqual(channelIds.sort(), [general.id, secret.id, inner.id].sort())
    const actual = [...visible].map(([id, channels]) => [id, [...channels].sort()])
    const expected = await Promise.all(
      userIds.slice(0, 4).map(async id => [id, (await listVisibleChannelIds(db, id, server.id)).sort()]),
    )
    assert.deepEqual(actual.sort(), expected.sort())
    assert.deepEqual([...(visible.get(ben) ?? [])], [secret.id])
    assert.deepEqual([...(visible.get(cem) ?? [])].sort(), [general.id, inner.id].sort())
    assert.equal(visible.has(eve), false)
  },
)

eachEngine('members with the same roles share one set', async (_t, db) => {
  const community = createCommunity(db)
  const [ada, ben, cem] = [
    await community.createUser('ada'),
    await community.createUser('ben'),
    await community.createUser('cem'),
  ]
  const { server } = await community.createServer(ada, ben, cem)
  const { channelIdsByUser: visible } = await readChannelVisibility(db, server.id, [ben, cem])
  assert.equal(visible.get(ben), visible.get(cem))
  assert.equal(visible.get(ben)?.size, 1)
})

eachEngine('returns no channels and no users for a server that does not exist', async (_t, db) => {
  const community = createCommunity(db)
  const ada = await community.createUser('ada')
  const { channelIdsByUser: visible, channelIds } = await readChannelVisibility(db, '100000000000000000', [
    ada,
  ])
  assert.deepEqual([visible.size, channelIds], [0, []])
})
