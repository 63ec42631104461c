import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { makeApplication, post, signUp, tokensFor } from './oauth-testing.ts'

/** The endpoints that accept a bearer token. */
const endpoints = ['/api/oauth2/userinfo', '/api/users/@me', '/api/users/@me/servers']

eachService(
  'sign-in/bearer-challenge: the challenge has an error code if the request has a token',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const revoked = await tokensFor(service, ada, app, { scope: 'identify servers' })
    await post(service, '/api/oauth2/token/revoke', { token: revoked.access_token })
    const expired = await tokensFor(service, ada, app, { scope: 'identify servers' })
    service.clock.advance(604_800_000)
    const tokens = [
      revoked.access_token,
      expired.access_token,
      revoked.refresh_token,
      `gat_${'x'.repeat(49)}`,
      'x',
    ]
    for (const path of endpoints) {
      const none = await service.client().get(path)
      assert.equal(none.status, 401, path)
      assert.match(none.headers.get('www-authenticate') ?? '', /^Bearer(,|$)/)
      assert.doesNotMatch(none.headers.get('www-authenticate') ?? '', /error/)
      for (const token of tokens) {
        for (const scheme of ['Bearer', 'bearer']) {
          const reply = await service.client().get(path, { authorization: `${scheme} ${token}` })
          assert.equal(reply.status, 401, path)
          assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/, path)
        }
      }
    }
  },
)
