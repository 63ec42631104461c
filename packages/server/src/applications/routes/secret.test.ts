import assert from 'node:assert/strict'
import { codeFor, exchangeCode, makeApplication, refresh, tokensFor, userinfo } from '../../oauth/testing.ts'
import { eachService } from '../../testing.ts'
import { assertOwnerAlone, openConsole } from './testing.ts'

eachService(
  'POST /api/applications/:id/secret 200: every token and code of the application has ended, and the old secret (rule 4)',
  async (_t, service) => {
    const { owner, member, application, path } = await openConsole(service)
    const other = await makeApplication(owner)
    const mine = await tokensFor(service, owner, application)
    const hers = await tokensFor(service, member, application)
    const others = await tokensFor(service, member, other)
    const code = await codeFor(member, application)

    const reset = await owner.client.json('POST', `${path}/secret`)
    assert.equal(reset.status, 200, reset.text)
    assert.deepEqual(Object.keys(reset.body), ['clientSecret'])
    const now = { ...application, secret: String(reset.body.clientSecret) }
    assert.notEqual(now.secret, application.secret)

    for (const { access_token, refresh_token } of [mine, hers]) {
      assert.equal((await userinfo(service, access_token)).status, 401)
      assert.equal((await refresh(service, now, refresh_token)).body.error, 'invalid_grant')
    }
    assert.equal((await userinfo(service, others.access_token)).status, 200)
    assert.equal((await exchangeCode(service, now, code)).body.error, 'invalid_grant')
    assert.equal((await exchangeCode(service, application, code)).body.error, 'invalid_client')
    const fresh = await tokensFor(service, member, now)
    assert.equal((await userinfo(service, fresh.access_token)).status, 200)
    assert.equal(service.log.join('').includes(now.secret), false)
  },
)

eachService('POST /api/applications/:id/secret 401, 403, 404', async (_t, service) => {
  const at = await openConsole(service)
  const { owner, member, application, path } = at
  const { access_token } = await tokensFor(service, member, application)
  await assertOwnerAlone(at, service, (client, headers) =>
    client.json('POST', `${path}/secret`, undefined, headers),
  )
  assert.equal((await userinfo(service, access_token)).status, 200)
  assert.equal((await tokensFor(service, member, application)).scope, 'identify')
  const app = await makeApplication(owner, { type: 'public' })
  assert.equal((await owner.client.json('POST', `/api/applications/${app.id}/secret`)).status, 404)
})
