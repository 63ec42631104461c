import assert from 'node:assert/strict'
import { runInNewContext } from 'node:vm'
import { eachService } from '@gatehouse/testkit/service'

eachService(
  'GET /second-factor.js returns 200 with a script that also runs without WebAuthn support',
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
