import assert from 'node:assert/strict'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

eachService(
  'X-Audit-Log-Reason: is 400 with its name if it is not URL-encoded or too long (community/audit-reason)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server } = await createServer(ann)
    const path = `/api/servers/${server.id}`
    const rename = (reason: string) =>
      ann.client.json('PATCH', path, { name: 'Renamed' }, { 'x-audit-log-reason': reason })
    for (const [reason, code] of [
      ['100 %', 'invalid_format'],
      ['%ff', 'invalid_format'],
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
