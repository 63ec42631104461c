import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { makeApplication, signUp, token } from './oauth-testing.ts'

const openid = '/.well-known/openid-configuration'

eachService(
  'sign-in/metadata, sign-in/grant-types: both documents contain the provider metadata',
  async (_t, service) => {
    const reply = await service.client().get(openid)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('access-control-allow-origin'), '*')
    const { body } = reply
    assert.equal(body.issuer, service.url)
    assert.equal(body.authorization_endpoint, `${service.url}/oauth2/authorize`)
    assert.equal(body.token_endpoint, `${service.url}/api/oauth2/token`)
    assert.equal(body.userinfo_endpoint, `${service.url}/api/oauth2/userinfo`)
    assert.equal(body.jwks_uri, `${service.url}/api/oauth2/keys`)
    assert.equal(body.revocation_endpoint, `${service.url}/api/oauth2/token/revoke`)
    assert.equal(body.introspection_endpoint, `${service.url}/api/oauth2/introspect`)
    assert.deepEqual(body.response_types_supported, ['code'])
    assert.deepEqual(body.grant_types_supported, ['authorization_code', 'refresh_token'])
    assert.deepEqual(body.subject_types_supported, ['public'])
    assert.deepEqual(body.id_token_signing_alg_values_supported, ['RS256'])
    assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(body.acr_values_supported, [
      'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
      'http://schemas.openid.net/pape/policies/2007/06/none',
    ])
    for (const claim of ['acr', 'amr', 'groups']) assert.ok(body.claims_supported.includes(claim), claim)
    assert.equal(body.claims_parameter_supported, false)
    assert.equal(body.request_parameter_supported, false)
    assert.equal(body.request_uri_parameter_supported, false)
    assert.equal(body.authorization_response_iss_parameter_supported, true)
    for (const scope of ['openid', 'profile', 'email', 'identify', 'servers', 'groups']) {
      assert.ok(body.scopes_supported.includes(scope), scope)
    }
    const other = await service.client().get('/.well-known/oauth-authorization-server')
    assert.deepEqual(other.body, body)
  },
)

eachService(
  'sign-in/issuer-with-slash: the documents are found by a client whose issuer ends in a slash',
  async (_t, service) => {
    for (const path of [openid, '/.well-known/oauth-authorization-server']) {
      const reply = await fetch(`${service.url}/${path}`, { redirect: 'error' })
      assert.equal(reply.status, 200, path)
      assert.equal(reply.headers.get('access-control-allow-origin'), '*')
      assert.equal((await reply.json()).issuer, service.url)
    }
    for (const path of ['//api/users/@me', '///.well-known/openid-configuration', '//.well-known/nothing']) {
      assert.equal((await fetch(service.url + path)).status, 404, path)
    }
  },
)

eachService('sign-in/issuer: forwarded headers of an untrusted client are ignored', async (_t, service) => {
  const spoofed = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.1',
    forwarded: 'host=evil.example;proto=https;for=203.0.113.1',
  }
  const reply = await service.client().get(openid, spoofed)
  assert.equal(reply.body.issuer, service.url)
  assert.doesNotMatch(reply.text, /evil/)
  const app = await makeApplication(await signUp(service, 'ada'))
  const guess = { grant_type: 'refresh_token', client_id: app.id, client_secret: 'x' }
  const replies = await Promise.all(
    Array.from({ length: 61 }, (_one, index) =>
      token(service, guess, { 'x-forwarded-for': `203.0.113.${index}` }),
    ),
  )
  assert.equal(replies.filter(one => one.status === 429).length, 1)
})
