import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createApplication } from '@gatehouse/testkit/applications'
import { assertLimitReached, assertOneLeft, oldIds } from '@gatehouse/testkit/caps'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { gif, png } from '@gatehouse/testkit/images'
import { eachService, type TestService } from '@gatehouse/testkit/service'

const mebibyte = 1024 * 1024
const expected = {
  limit: 'imageMebibytes',
  message: 'The images that a user uploaded have at most 64 MiB together.',
}

function upload(user: TestUser, path: string, bytes: Uint8Array = png) {
  const init = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: new Uint8Array(bytes) }
  return user.client.send(path, init)
}

/** Stores images of servers that do not exist: so many that 64 MiB minus `rest` bytes are used. */
async function fill({ db }: TestService, uploaderId: string, rest: number) {
  for (const [n, ownerId] of oldIds(64).entries()) {
    const bytes = Buffer.alloc(n === 0 ? mebibyte - rest : mebibyte)
    await db.run`
      INSERT INTO images (kind, owner_id, uploader_id, hash, content_type, bytes)
      VALUES ('servers', ${ownerId}, ${uploaderId}, 'hash', 'image/png', ${bytes})`
  }
}

async function stored({ db }: TestService, userId: string): Promise<number> {
  const row = await db.get<{ n: number }>`
    SELECT CAST(SUM(LENGTH(bytes)) AS BIGINT) AS n FROM images WHERE uploader_id = ${userId}`
  return row?.n ?? 0
}

eachService(
  'limits/image-storage: 409 for images of more than 64 MiB, also if they are uploaded at the same time',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const icons: string[] = []
    for (let n = 0; n < 6; n++) {
      const { id } = await createApplication(ann.client)
      icons.push(`/api/applications/${id}/icon`)
    }
    assert.equal((await upload(ann, '/api/users/@me/avatar')).status, 200)
    const size = await stored(service, ann.id)
    await fill(service, ann.id, 2 * size)
    await assertOneLeft(service, 'images', n => upload(ann, icons[n] ?? ''), expected)
    assert.equal(await stored(service, ann.id), 64 * mebibyte)
    const applications = (await ann.client.get('/api/applications')).body
    assert.equal(applications.filter((application: { icon: unknown }) => application.icon !== null).length, 1)
  },
)

eachService(
  'limits/image-storage: replaced and deleted images do not count, and each image counts for its uploader',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann, bob)
    const permissions = formatPermissions(Permission.MANAGE_SERVER)
    const roles = `/api/servers/${server.id}/roles`
    const admin = await ann.client.json('POST', roles, { name: 'Admin', permissions })
    await ann.client.json('PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${admin.body.id}`)
    const icon = `/api/servers/${server.id}/icon`
    const both = async () => [await stored(service, ann.id), await stored(service, bob.id)]

    assert.equal((await upload(ann, icon)).status, 200)
    const [size = 0] = await both()
    assert.deepEqual(await both(), [size, 0])
    assert.equal((await upload(ann, icon)).status, 200)
    assert.deepEqual(await both(), [size, 0])
    assert.equal((await upload(bob, icon)).status, 200)
    assert.deepEqual(await both(), [0, size])
    // At the limit, an image can still be replaced.
    await fill(service, bob.id, size)
    assert.equal((await upload(bob, icon, gif)).status, 200)
    assert.equal((await upload(bob, icon)).status, 200)
    assertLimitReached(await upload(bob, '/api/users/@me/avatar'), expected)
    assert.equal((await bob.client.json('DELETE', icon)).status, 200)
    assert.equal((await upload(bob, '/api/users/@me/avatar')).status, 200)
    assert.equal((await bob.client.json('DELETE', '/api/users/@me/avatar')).status, 200)
    assert.equal((await upload(bob, icon)).status, 200)
    assert.equal((await ann.client.json('DELETE', `/api/servers/${server.id}`)).status, 204)
    assert.deepEqual(await both(), [0, 64 * mebibyte - size])
  },
)
