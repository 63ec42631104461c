import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { assertError, makeApplication, post, signUp, tokensFor, userinfo } from './oauth-testing.ts'

eachService(
  'userinfo counts as a request of the application for the user, with all its tokens together (limits/requests)',
  async (_t, service) => {
    const [ada, ben] = [await signUp(service, 'ada'), await signUp(service, 'ben')]
    const [first, second] = [await makeApplication(ada), await makeApplication(ada)]
    const { access_token: tokenOfSecond } = await tokensFor(service, ada, second)
    const { access_token: token } = await tokensFor(service, ada, first)
    const { access_token: other } = await tokensFor(service, ada, first, { scope: 'servers' })
    const { access_token: tokenOfBen } = await tokensFor(service, ben, first)
    service.clock.advance(2000)
    const me = () => service.client().get('/api/users/@me', { authorization: `Bearer ${token}` })
    for (let i = 0; i < 25; i++) {
      assert.equal((await userinfo(service, token)).status, 200)
      assert.equal((await post(service, '/api/oauth2/userinfo', { access_token: token })).status, 200)
      assert.equal((await me()).status, 200)
      assert.equal((await userinfo(service, other)).status, 403)
    }
    for (const reply of [
      await userinfo(service, token),
      await post(service, '/api/oauth2/userinfo', { access_token: token }),
      await userinfo(service, other),
    ]) {
      assertError(reply, 429, 'temporarily_unavailable')
      assert.equal(reply.headers.get('retry-after'), '1')
      assert.equal(reply.headers.get('access-control-allow-origin'), '*')
    }
    assert.equal((await me()).status, 429)
    // A wrong token is not a request of the user.
    assertError(await userinfo(service, 'x'), 401, 'invalid_token')
    assert.equal((await userinfo(service, tokenOfBen)).status, 200)
    assert.equal((await userinfo(service, tokenOfSecond)).status, 200)
    assert.equal((await ada.client.get('/api/users/@me')).status, 200)
    service.clock.advance(1000)
    assert.equal((await userinfo(service, token)).status, 200)
  },
  { env: { RATE_LIMITS: 'on' } },
)
