import assert from 'node:assert/strict'
import { register } from '@gatehouse/testkit/community'
import { gif, png } from '@gatehouse/testkit/images'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { deleteImage, type ImageKind, imagePath, saveImage } from './index.ts'

const ownerId = '1461329068032000000'

async function save(service: TestService, kind: ImageKind, contentType: string, bytes: Uint8Array) {
  const { id: uploaderId } = await register(service, `uploader.${contentType.slice(6)}`)
  const image = { contentType, bytes }
  return service.db.transaction(tx => saveImage(tx, { kind, ownerId, uploaderId, image }))
}

eachService(
  'GET /images/:kind/:id/:hash 200: returns the uploaded bytes with an immutable Cache-Control and a sandbox CSP',
  async (_t, service) => {
    const hash = await save(service, 'servers', 'image/png', png)
    const response = await fetch(service.url + imagePath('servers', ownerId, hash))
    assert.equal(response.status, 200)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), png)
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('content-security-policy'), "sandbox; default-src 'none'")
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin')
  },
)

eachService(
  'GET /images/:kind/:id/default 200: returns the same generated image for the same owner',
  async (_t, service) => {
    const client = service.client()
    const reply = await client.get(imagePath('users', ownerId, null))
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'image/svg+xml')
    assert.equal(reply.headers.get('content-security-policy'), "sandbox; default-src 'none'")
    assert.match(reply.text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" /)
    assert.equal(reply.text, (await client.get(imagePath('users', ownerId, null))).text)
    assert.notEqual(reply.text, (await client.get(imagePath('users', '1461329068032000001', null))).text)
  },
)

eachService(
  'GET /images/:kind/:id/:hash 200: returns the current image for the hash of a replaced image',
  async (_t, service) => {
    const { db } = service
    const client = service.client()
    const old = await save(service, 'webhooks', 'image/png', png)
    await save(service, 'webhooks', 'image/gif', gif)
    const replaced = await client.get(imagePath('webhooks', ownerId, old))
    assert.equal(replaced.headers.get('content-type'), 'image/gif')
    assert.equal(replaced.headers.get('cache-control'), 'public, max-age=300')
    await db.transaction(tx => deleteImage(tx, 'webhooks', ownerId))
    const dropped = await client.get(imagePath('webhooks', ownerId, old))
    assert.equal(dropped.status, 200)
    assert.equal(dropped.headers.get('content-type'), 'image/svg+xml')
    assert.equal(dropped.headers.get('cache-control'), 'public, max-age=300')
  },
)

eachService(
  'GET /images/:kind/:id/:hash 404: unknown kind, invalid id, invalid hash',
  async (_t, service) => {
    const hash = 'a'.repeat(32)
    const paths = [
      `/images/others/${ownerId}/default`,
      '/images/users/nonsense/default',
      `/images/users/${ownerId}/nonsense`,
      `/images/users/${ownerId}/${hash}0`,
      `/images/users/${ownerId}/%2e%2e`,
      `/images/users/${ownerId}`,
    ]
    for (const path of paths) {
      const reply = await service.client().get(path)
      assert.equal(reply.status, 404, path)
      assert.equal(reply.body.code, 'not_found')
    }
  },
)
