import assert from 'node:assert/strict'
import { runInNewContext } from 'node:vm'
import { eachService } from '../../../testing.ts'

eachService(
  'GET /second-factor.js 200: one file that runs where there is no WebAuthn too',
  async (_t, service) => {
    const reply = await service.client().get('/second-factor.js')
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(reply.headers.get('cache-control') ?? '', /max-age=/)
    const forms: string[] = []
    const document = { querySelectorAll: (selector: string) => forms.concat(selector) }
    assert.doesNotThrow(() => runInNewContext(reply.text, { document }))
  },
)
