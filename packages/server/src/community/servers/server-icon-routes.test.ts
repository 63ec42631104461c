import assert from 'node:assert/strict'
import { createServer, register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService } from '@gatehouse/testkit/service'
import { subjects, subscribeToEvents } from '../../events/gateway-events.ts'

const unknown = '1234567890123456789'
const upload = (bytes: Uint8Array<ArrayBuffer> = new Uint8Array(png), type = 'image/png') => ({
  method: 'PUT',
  headers: { 'content-type': type },
  body: bytes,
})

eachService('PUT · DELETE /api/servers/:id/icon: 200, and publishes SERVER_UPDATE', async (_t, service) => {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}/icon`
  const published: unknown[] = []
  await subscribeToEvents(service.bus, subjects.server(server.id), ({ t, d }) => {
    if (t === 'SERVER_UPDATE') published.push(d)
  })
  const put = await ann.client.send(path, upload())
  assert.equal(put.status, 200)
  assert.deepEqual(put.body, { ...server, icon: put.body.icon })
  assert.match(put.body.icon, new RegExp(`^/images/servers/${server.id}/[0-9a-f]{32}$`))
  const image = await bob.client.get(put.body.icon)
  assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/png'])
  const [mine] = (await bob.client.get('/api/users/@me/servers')).body
  assert.equal(mine.icon, put.body.icon)

  const renamed = await ann.client.json('PATCH', `/api/servers/${server.id}`, { name: 'Harbour' })
  assert.equal(renamed.body.icon, put.body.icon)
  for (const _attempt of [1, 2]) {
    const removed = await ann.client.json('DELETE', path)
    assert.deepEqual([removed.status, removed.body], [200, { ...server, name: 'Harbour', icon: null }])
  }
  assert.deepEqual(published.slice(0, 3), [
    put.body,
    renamed.body,
    { ...server, name: 'Harbour', icon: null },
  ])
})

eachService(
  'the last SERVER_UPDATE of a concurrent rename and removal of the icon has both',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server } = await createServer(ann)
    const path = `/api/servers/${server.id}`
    const published: unknown[] = []
    await subscribeToEvents(service.bus, subjects.server(server.id), ({ d }) => published.push(d))
    for (let i = 0; i < 10; i++) {
      await ann.client.send(`${path}/icon`, upload())
      const replies = await Promise.all([
        ann.client.json('PATCH', path, { name: `Harbour ${i}` }),
        ann.client.json('DELETE', `${path}/icon`),
      ])
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200],
      )
      assert.deepEqual(published.at(-1), { ...server, name: `Harbour ${i}`, icon: null })
    }
  },
)

eachService('PUT · DELETE /api/servers/:id/icon: 400, 404, 413, 415', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}/icon`
  const svg = new TextEncoder().encode('<svg onload="alert(1)">')
  assert.equal((await ann.client.send(path, upload(svg))).status, 400)
  assert.equal((await eve.client.send(path, upload())).status, 404)
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  assert.equal((await ann.client.send(`/api/servers/${unknown}/icon`, upload())).status, 404)
  assert.equal((await ann.client.send(path, upload(new Uint8Array(1024 * 1024 + 1)))).status, 413)
  assert.equal((await ann.client.send(path, upload(svg, 'image/svg+xml'))).status, 415)
  assert.equal((await ann.client.get(`/api/servers/${server.id}`)).body.icon, null)
})

eachService('deleting a server deletes its icon', async (_t, service) => {
  const ann = await register(service, 'ann')
  const { server } = await createServer(ann)
  await ann.client.send(`/api/servers/${server.id}/icon`, upload())
  assert.equal((await ann.client.json('DELETE', `/api/servers/${server.id}`)).status, 204)
  assert.deepEqual(await service.db.all`SELECT hash FROM images`, [])
})

eachService(
  'an icon that is uploaded while it or the server is deleted leaves no image without its ' +
    'server (limits/image-storage)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    for (const suffix of ['/icon', '']) {
      for (const icon of ['none', 'to be replaced']) {
        const { server } = await createServer(ann)
        const path = `/api/servers/${server.id}`
        if (icon !== 'none') await ann.client.send(`${path}/icon`, upload())
        const [, deleted] = await sendWhileLocked(
          service,
          tx => tx.get`SELECT 1 AS one FROM servers WHERE id = ${server.id} FOR UPDATE`,
          () => ann.client.send(`${path}/icon`, upload()),
          () => ann.client.json('DELETE', path + suffix),
        )
        assert.ok(deleted.status < 300, deleted.text)
        const rows = await service.db.all`
          SELECT i.hash, s.icon FROM images i LEFT JOIN servers s ON s.id = i.owner_id
          WHERE s.icon IS NULL OR s.icon <> i.hash`
        assert.deepEqual(rows, [], `${suffix}, icon: ${icon}`)
      }
    }
  },
)
