import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { eachService } from '@gatehouse/testkit/service'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { makeApplication, signUp, tokensFor, userinfo } from './oauth-testing.ts'

eachService(
  'sign-in/id-token-claims, sign-in/subject: the id_token has the specified claims and a valid signature',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    service.clock.advance(90_500)
    const tokens = await tokensFor(service, ada, app, { scope: 'openid', nonce: 'n-0S6_WzA2Mj' })
    const token = tokens.id_token ?? ''
    const keys = (await service.client().get('/api/oauth2/keys')).body
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: service.url,
      audience: app.id,
      algorithms: ['RS256'],
      currentDate: new Date(service.clock.now()),
    })
    assert.equal(protectedHeader.kid, keys.keys[0].kid)
    const now = Math.floor(service.clock.now() / 1000)
    assert.deepEqual(payload, {
      iss: service.url,
      aud: app.id,
      sub: ada.id,
      iat: now,
      exp: now + 3600,
      auth_time: Math.floor((service.clock.now() - 90_500) / 1000),
      at_hash: createHash('sha256')
        .update(tokens.access_token)
        .digest()
        .subarray(0, 16)
        .toString('base64url'),
      acr: 'http://schemas.openid.net/pape/policies/2007/06/none',
      amr: ['pwd'],
      nonce: 'n-0S6_WzA2Mj',
      preferred_username: 'ada',
      name: 'Name of ada',
      picture: `${service.url}/images/users/${ada.id}/default`,
    })
    assert.equal(decodeProtectedHeader(token).alg, 'RS256')
  },
)

eachService('the scope email adds email and email_verified to the id_token', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const claims = decodeJwt((await tokensFor(service, ada, app, { scope: 'openid email' })).id_token ?? '')
  assert.equal(claims.email, ada.email)
  assert.equal(claims.email_verified, false)
})

eachService(
  'sign-in/subject, sign-in/client-id-is-no-user-id: sub is stable, the same at userinfo, ' +
    'and differs from the client_id',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app, { scope: 'openid identify' })
    const { sub } = decodeJwt(tokens.id_token ?? '')
    assert.match(sub ?? '', /^[0-9]{17,20}$/)
    assert.notEqual(sub, app.id)
    assert.equal((await userinfo(service, tokens.access_token)).body.sub, sub)
    await ada.client.json('PATCH', '/api/users/@me', { username: 'lovelace', displayName: 'Countess' })
    const later = decodeJwt((await tokensFor(service, ada, app, { scope: 'openid identify' })).id_token ?? '')
    assert.equal(later.sub, sub)
    assert.equal(later.preferred_username, 'lovelace')
    assert.equal(later.name, 'Countess')
  },
)
