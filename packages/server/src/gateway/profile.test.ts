import assert from 'node:assert/strict'
import { subjects } from '../platform/events.ts'
import { found, register } from '../platform/testing.ts'
import { eachService } from '../testing.ts'
import { identified, makeBot, online } from './testing.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

eachService(
  'a changed name or picture reaches oneself, the servers and the direct messages',
  async (_t, service) => {
    const [ann, bob, cem, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'cem'),
      await register(service, 'eve'),
    ]
    const { server } = await found(ann, bob, cem)
    const direct = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: cem.id })
    await cem.client.json('DELETE', `/api/servers/${server.id}/members/@me`)
    const [hers, his, partner, stranger] = [
      await online(service, ann),
      await online(service, bob),
      await online(service, cem),
      await online(service, eve),
    ]
    const picture = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: new Uint8Array(png) }
    for (const change of [
      () => ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann Ahoy' }),
      () => ann.client.json('PATCH', '/api/users/@me', { username: 'ann.ahoy' }),
      () => ann.client.send('/api/users/@me/avatar', picture),
      () => ann.client.json('DELETE', '/api/users/@me/avatar'),
    ]) {
      const { body: self } = await change()
      const { email, emailVerified: _, ...user } = self
      assert.equal(email, 'ann@example.org')
      const own = [await hers.event(), await hers.event()]
      assert.deepEqual(own.map(({ t }) => t).sort(), ['MEMBER_UPDATE', 'USER_UPDATE'])
      assert.deepEqual(own.find(({ t }) => t === 'USER_UPDATE')?.d, self)
      const seen = await his.event()
      assert.deepEqual([seen.t, seen.d.serverId, seen.d.user], ['MEMBER_UPDATE', server.id, user])
      const told = await partner.event()
      assert.deepEqual([told.t, told.d.id, told.d.recipient], ['CHANNEL_UPDATE', direct.body.id, user])
    }
    // The same again, or what others do not see, is no news to them.
    await ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann Ahoy' })
    const changed = { email: 'ann@example.com', currentPassword: 'correct horse' }
    assert.equal((await ann.client.json('PATCH', '/api/users/@me', changed)).status, 200)
    const update = await hers.event()
    assert.deepEqual([update.t, update.d], ['USER_UPDATE', (await ann.client.get('/api/users/@me')).body])
    const fence = await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'fence' })
    assert.equal(fence.status, 201)
    assert.equal((await his.event()).t, 'CHANNEL_CREATE')
    assert.deepEqual(stranger.rest(), [])
    assert.deepEqual(partner.rest(), [])
  },
)

eachService('a confirmed address is told to one’s own windows', async (_t, service) => {
  const ann = await register(service, 'ann')
  const hers = await online(service, ann)
  const mail = service.mails.find(({ to }) => to === 'ann@example.org')
  const token = /token=([A-Za-z0-9_-]+)/.exec(mail?.text ?? '')?.[1]
  assert.equal((await service.client().json('POST', '/api/auth/email/verify', { token })).status, 204)
  const { t, d } = await hers.event()
  assert.deepEqual([t, Reflect.get(d, 'emailVerified')], ['USER_UPDATE', true])
})

eachService('D32: a bot is told nothing of a changed name', async (_t, service) => {
  const bot = await makeBot(service)
  const { owner } = bot
  const { server } = await found(owner)
  await service.db.run`
    INSERT INTO members (server_id, user_id, nick, joined_at) VALUES (${server.id}, ${bot.userId}, NULL, 1)`
  const direct = await owner.client.json('POST', '/api/users/@me/channels', { recipientId: bot.userId })
  assert.equal(direct.status, 201, direct.text)
  const [hers, client] = [await online(service, owner), await identified(service, bot)]
  await owner.client.json('PATCH', '/api/users/@me', { displayName: 'Somebody' })
  assert.equal((await hers.event()).t, 'USER_UPDATE')
  service.bus.publish(subjects.user(bot.userId), { t: 'SERVER_REMOVE', d: { id: server.id } })
  assert.equal((await client.event()).t, 'SERVER_REMOVE')
})
