import assert from 'node:assert/strict'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

eachService(
  'X-Audit-Log-Reason: is 400 with its name if it is not UTF-8 or too long (community/audit-reason)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server } = await createServer(ann)
    const path = `/api/servers/${server.id}`
    const rename = (reason: string) =>
      ann.client.json('PATCH', path, { name: 'Renamed' }, { 'x-audit-log-reason': reason })
    for (const [reason, code] of [
      ['caf\u00e9', 'invalid_format'],
      ['%d1%8f'.repeat(513), 'too_long'],
    ] as const) {
      const { status, body } = await rename(reason)
      assert.equal(status, 400)
      const [error] = body.errors
      assert.deepEqual([body.errors.length, error.path, error.code], [1, 'X-Audit-Log-Reason', code])
    }
    assert.equal((await ann.client.json('GET', path)).body.name, server.name)
    assert.equal((await rename('%d1%8f'.repeat(512))).status, 200)
  },
)

eachService(
  'a reason that nobody encoded is taken as it was typed (community/audit-reason)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server } = await createServer(ann)
    const path = `/api/servers/${server.id}`
    const rawUtf8 = Buffer.from('Спам: 50% 🎉').toString('latin1')
    for (const [index, [header, reason]] of [
      ['100% spam', '100% spam'],
      ['50%', '50%'],
      ['raid (see #rules) 3% + 4%', 'raid (see #rules) 3% + 4%'],
      ['%ff', '%ff'],
      [rawUtf8, 'Спам: 50% 🎉'],
      ['raid%20%D1%8F+b', 'raid я+b'],
    ].entries()) {
      const headers = { 'x-audit-log-reason': header ?? '' }
      const { status, text } = await ann.client.json('PATCH', path, { name: `Name ${index}` }, headers)
      assert.equal(status, 200, text)
      const [entry] = (await ann.client.get(`${path}/audit-log?limit=1`)).body
      assert.equal(entry.reason, reason)
    }
  },
)
