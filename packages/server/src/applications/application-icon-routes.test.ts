import assert from 'node:assert/strict'
import { gif, png } from '@gatehouse/testkit/images'
import { eachService } from '@gatehouse/testkit/service'
import { createFixture } from './applications-testing.ts'

eachService(
  'PUT /api/applications/:id/icon 200: application, integrations and commands contain the icon',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const { owner, path, serverId, channelId } = fixture
    await fixture.install('bot applications.commands')
    const commands = [{ name: 'roll', description: 'Rolls dice' }]
    assert.equal((await fixture.bot('PUT', '/api/applications/@me/commands', commands)).status, 200)
    const put = (type: string, body: Uint8Array<ArrayBuffer>) =>
      owner.client.send(`${path}/icon`, { method: 'PUT', headers: { 'content-type': type }, body })
    const reply = await put('image/png', png)
    assert.equal(reply.status, 200, reply.text)
    const { icon } = reply.body
    const image = await service.client().get(icon)
    assert.equal(image.status, 200)
    assert.equal(image.headers.get('content-type'), 'image/png')
    assert.equal((await owner.client.get(path)).body.icon, icon)
    assert.equal(
      (await owner.client.get(`/api/servers/${serverId}/integrations`)).body[0].application.icon,
      icon,
    )
    assert.equal(
      (await owner.client.get(`/api/channels/${channelId}/commands`)).body[0].application.icon,
      icon,
    )
    // The bytes decide the type, not Content-Type.
    const other = await put('image/webp', gif)
    assert.equal(other.status, 200, other.text)
    assert.notEqual(other.body.icon, icon)
    assert.equal((await service.client().get(other.body.icon)).headers.get('content-type'), 'image/gif')
  },
)

eachService('PUT /api/applications/:id/icon 400, 413, 415', async (_t, service) => {
  const { owner, path } = await createFixture(service)
  const put = (type: string, body: Uint8Array<ArrayBuffer>) =>
    owner.client.send(`${path}/icon`, { method: 'PUT', headers: { 'content-type': type }, body })
  const large = Buffer.alloc(1024 * 1024 + 1)
  large.set(png)
  for (const [status, code, type, body] of [
    [400, 'validation_failed', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [400, 'validation_failed', 'image/png', Buffer.alloc(0)],
    [413, 'body_too_large', 'image/png', large],
    [415, 'unsupported_media_type', 'image/svg+xml', png],
    [415, 'unsupported_media_type', 'application/json', Buffer.from('{}')],
  ] as const) {
    const reply = await put(type, body)
    assert.equal(reply.status, status, reply.text)
    assert.equal(reply.body.code, code)
  }
  const without = await owner.client.send(`${path}/icon`, { method: 'PUT' })
  assert.equal(without.status, 400, without.text)
  assert.equal((await owner.client.get(path)).body.icon, null)
})
