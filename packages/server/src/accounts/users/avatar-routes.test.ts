import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { gif, png } from '@gatehouse/testkit/images'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService } from '@gatehouse/testkit/service'
import { register } from './users-testing.ts'

const path = '/api/users/@me/avatar'

function put(body: Buffer | string, type = 'image/png') {
  return {
    method: 'PUT',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  }
}

eachService('PUT avatar returns 200 with the URL of the new image', async (_t, service) => {
  const client = service.client()
  const { body: before } = await register(client, 'ada')
  const reply = await client.send(path, put(png))
  assert.equal(reply.status, 200)
  assert.match(reply.body.avatar, new RegExp(`^/images/users/${before.id}/[0-9a-f]{32}$`))
  assert.deepEqual((await client.get('/api/users/@me')).body, reply.body)
  const image = await client.get(reply.body.avatar)
  assert.equal(image.status, 200)
  assert.equal(image.headers.get('content-type'), 'image/png')
})

eachService(
  'PUT avatar detects the image type from the bytes, not from the Content-Type',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    for (const type of ['image/jpeg', 'application/octet-stream']) {
      const reply = await client.send(path, put(gif, type))
      assert.equal((await client.get(reply.body.avatar)).headers.get('content-type'), 'image/gif', type)
    }
  },
)

eachService(
  'PUT avatar returns 400 for a body that is not an image and for an empty body',
  async (_t, service) => {
    const client = service.client()
    const { body } = await register(client, 'ada')
    for (const wrong of ['<svg onload="alert(1)">', '<!doctype html>', '']) {
      const reply = await client.send(path, put(wrong))
      assert.equal(reply.status, 400)
      assert.equal(fieldErrorsOf(reply).length, 1)
    }
    assert.deepEqual((await client.get('/api/users/@me')).body, body)
  },
)

eachService('PUT avatar returns 413 for more than 1 MiB', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const bytes = Buffer.alloc(1024 * 1024 + 1)
  png.copy(bytes)
  const reply = await client.send(path, put(bytes))
  assert.equal(reply.status, 413)
  assert.equal(reply.body.code, 'body_too_large')
  assert.equal((await client.send(path, put(bytes.subarray(0, -1)))).status, 200)
})

eachService(
  'PUT avatar returns 415 for any other Content-Type than the four image types and application/octet-stream',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    for (const type of ['image/svg+xml', 'application/json', 'text/html']) {
      assert.equal((await client.send(path, put('{}', type))).status, 415)
    }
  },
)

eachService('DELETE avatar returns 200 with the URL of the generated avatar', async (_t, service) => {
  const client = service.client()
  const { body: before } = await register(client, 'ada')
  await client.send(path, put(png))
  const reply = await client.json('DELETE', path)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, before)
  assert.equal((await client.json('DELETE', path)).status, 200)
})

eachService(
  'PUT and DELETE avatar at the same time leave no image without its user (limits/image-storage)',
  async (_t, service) => {
    const client = service.client()
    const { id } = (await register(client, 'ada')).body
    for (const avatar of ['none', 'to be replaced']) {
      if (avatar !== 'none') await client.send(path, put(gif))
      const replies = await sendWhileLocked(
        service,
        tx => tx.get`SELECT 1 AS one FROM users WHERE id = ${id} FOR UPDATE`,
        () => client.send(path, put(png)),
        () => client.json('DELETE', path),
      )
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200],
      )
      const rows = await service.db.all`
        SELECT i.hash, u.avatar FROM images i JOIN users u ON u.id = i.owner_id
        WHERE u.avatar IS NULL OR u.avatar <> i.hash`
      assert.deepEqual(rows, [], avatar)
    }
  },
)
