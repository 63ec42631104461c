import assert from 'node:assert/strict'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import { mailToken } from '../../accounts/users/users-testing.ts'
import { subjects } from '../../events/gateway-events.ts'
import { connectUser, createBot, identify } from '../gateway-testing.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

eachService(
  'a change of name or avatar reaches the user, their servers and their direct messages',
  async (_t, service) => {
    const [ann, bob, cem, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'cem'),
      await register(service, 'eve'),
    ]
    const { server } = await createServer(ann, bob, cem)
    const direct = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: cem.id })
    await cem.client.call('openDirectMessage', { body: { recipientId: ann.id } })
    await cem.client.json('DELETE', `/api/servers/${server.id}/members/@me`)
    const [annClient, bobClient, cemClient, eveClient] = [
      await connectUser(service, ann),
      await connectUser(service, bob),
      await connectUser(service, cem),
      await connectUser(service, eve),
    ]
    const avatar = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: new Uint8Array(png) }
    for (const change of [
      () => ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann Ahoy' }),
      () => ann.client.json('PATCH', '/api/users/@me', { username: 'ann.ahoy' }),
      () => ann.client.send('/api/users/@me/avatar', avatar),
      () => ann.client.json('DELETE', '/api/users/@me/avatar'),
    ]) {
      const { body: self } = await change()
      const { email, emailVerified: _, directMessages: __, ...user } = self
      assert.equal(email, 'ann@example.org')
      const ownEvents = [await annClient.nextDispatch(), await annClient.nextDispatch()]
      assert.deepEqual(ownEvents.map(({ t }) => t).sort(), ['MEMBER_UPDATE', 'USER_UPDATE'])
      assert.deepEqual(ownEvents.find(({ t }) => t === 'USER_UPDATE')?.d, self)
      const memberUpdate = await bobClient.nextDispatch()
      assert.deepEqual(
        [memberUpdate.t, memberUpdate.d.serverId, memberUpdate.d.user],
        ['MEMBER_UPDATE', server.id, user],
      )
      const channelUpdate = await cemClient.nextDispatch()
      assert.deepEqual(
        [channelUpdate.t, channelUpdate.d.id, channelUpdate.d.recipient],
        ['CHANNEL_UPDATE', direct.body.id, user],
      )
    }
    // An unchanged name, or a change that is not public, sends no event to others.
    await ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann Ahoy' })
    const changed = { email: 'ann@example.com', currentPassword: 'correct horse' }
    assert.equal((await ann.client.json('PATCH', '/api/users/@me', changed)).status, 200)
    const token = await mailToken(service, changed.email, 1)
    assert.equal((await ann.client.json('POST', '/api/auth/email/verify', { token })).status, 204)
    const update = await annClient.nextDispatch()
    assert.deepEqual([update.t, update.d], ['USER_UPDATE', (await ann.client.get('/api/users/@me')).body])
    const marker = await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'marker' })
    assert.equal(marker.status, 201)
    assert.equal((await bobClient.nextDispatch()).t, 'CHANNEL_CREATE')
    assert.deepEqual(eveClient.takeFrames(), [])
    assert.deepEqual(cemClient.takeFrames(), [])
  },
)

eachService('verifying an email address sends USER_UPDATE to the user’s sessions', async (_t, service) => {
  const ann = await register(service, 'ann')
  const annClient = await connectUser(service, ann)
  const mail = service.mails.find(({ to }) => to === 'ann@example.org')
  const token = /token=([A-Za-z0-9_-]+)/.exec(mail?.text ?? '')?.[1]
  assert.equal((await ann.client.json('POST', '/api/auth/email/verify', { token })).status, 204)
  const { t, d } = await annClient.nextDispatch()
  assert.deepEqual([t, Reflect.get(d, 'emailVerified')], ['USER_UPDATE', true])
})

eachService('a bot receives no events about a changed name (bots/bot-may)', async (_t, service) => {
  const bot = await createBot(service)
  const { owner } = bot
  const { server } = await createServer(owner)
  await service.db.run`
    INSERT INTO members (server_id, user_id, nick, joined_at) VALUES (${server.id}, ${bot.userId}, NULL, 1)`
  const direct = await owner.client.json('POST', '/api/users/@me/channels', { recipientId: bot.userId })
  assert.equal(direct.status, 201, direct.text)
  const [ownerClient, botClient] = [await connectUser(service, owner), await identify(service, bot)]
  await owner.client.json('PATCH', '/api/users/@me', { displayName: 'New name' })
  assert.equal((await ownerClient.nextDispatch()).t, 'USER_UPDATE')
  service.bus.publish(subjects.user(bot.userId), { t: 'SERVER_REMOVE', d: { id: server.id } })
  assert.equal((await botClient.nextDispatch()).t, 'SERVER_REMOVE')
})
