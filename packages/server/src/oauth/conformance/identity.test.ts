import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import {
  assertError,
  codeFor,
  eachServer,
  exceptOidcProvider,
  exchange,
  post,
  refresh,
  tokensFor,
  userinfo,
} from './conformance-testing.ts'

eachServer('the discovery document has the required metadata', async server => {
  const { body } = await server.send(`${server.issuer}/.well-known/openid-configuration`)
  assert.equal(body.issuer, server.issuer)
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
    assert.ok(body[name].startsWith(`${server.issuer}/`), name)
  }
  assert.deepEqual(body.response_types_supported, ['code'])
  assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
  assert.ok(body.id_token_signing_alg_values_supported.includes('RS256'))
  assert.ok(body.grant_types_supported.includes('refresh_token'))
  assert.equal(body.authorization_response_iss_parameter_supported, true)
  assert.equal(body.request_uri_parameter_supported ?? true, false)
  assert.equal(body.claims_parameter_supported, false)
})

eachServer('the RFC 8414 document is the same', async server => {
  const openid = await server.send(`${server.issuer}/.well-known/openid-configuration`)
  const oauth = await server.send(`${server.issuer}/.well-known/oauth-authorization-server`)
  assert.deepEqual(oauth.body, openid.body)
})

eachServer('the JWK Set has public keys with kid and use', async server => {
  const { body } = await server.send(server.metadata.jwks_uri ?? '')
  for (const key of body.keys) {
    assert.equal(key.kty, 'RSA')
    assert.equal(key.use, 'sig')
    assert.equal(typeof key.kid, 'string')
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi']) assert.equal(member in key, false, member)
  }
})

eachServer('the id_token is signed by a published key and has the required claims', async server => {
  const client = server.confidential
  const tokens = await tokensFor(server, client, { nonce: 'ä + %', max_age: '600' })
  const keys = createRemoteJWKSet(new URL(server.metadata.jwks_uri ?? ''))
  const { payload, protectedHeader } = await jwtVerify(tokens.id_token, keys, {
    issuer: server.issuer,
    audience: client.id,
    algorithms: ['RS256'],
    currentDate: new Date((decodeJwt(tokens.id_token).iat ?? 0) * 1000),
  })
  assert.equal(typeof protectedHeader.kid, 'string')
  assert.equal(payload.sub, server.subject)
  assert.equal(payload.nonce, 'ä + %')
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 3600)
  assert.ok(Number(payload.auth_time) <= (payload.iat ?? 0))
  const half = createHash('sha256').update(tokens.access_token).digest().subarray(0, 16)
  assert.equal(payload.at_hash ?? half.toString('base64url'), half.toString('base64url'))
})

eachServer('the id_token has no nonce if the request has none', async server => {
  assert.equal('nonce' in decodeJwt((await tokensFor(server, server.public)).id_token), false)
})

eachServer('a refreshed id_token has the claims of the same sign-in', async server => {
  const client = server.confidential
  const tokens = await tokensFor(server, client, { max_age: '600' })
  const next = await refresh(server, client, tokens.refresh_token)
  const [first, second] = [decodeJwt(tokens.id_token), decodeJwt(next.body.id_token)]
  for (const claim of ['iss', 'sub', 'aud', 'auth_time']) assert.equal(second[claim], first[claim], claim)
})

eachServer('without openid there is no id_token', async server => {
  const scope = server.scope.replace('openid ', '')
  const reply = await exchange(
    server,
    server.confidential,
    await codeFor(server, server.confidential, { scope }),
  )
  assert.equal(reply.status, 200, reply.text)
  assert.equal('id_token' in reply.body, false)
})

eachServer('userinfo accepts GET and POST and returns the claims of the scopes', async server => {
  const { access_token, id_token } = await tokensFor(server, server.confidential)
  const got = await userinfo(server, access_token)
  assert.equal(got.status, 200, got.text)
  assert.equal(got.body.sub, decodeJwt(id_token).sub)
  assert.equal(got.body.preferred_username, 'ada')
  assert.equal(got.body.email, 'ada@example.org')
  assert.equal(typeof got.body.email_verified, 'boolean')
  const posted = await post(server, server.metadata.userinfo_endpoint ?? '', { access_token })
  assert.deepEqual(posted.body, got.body)
})

eachServer('an invalid token returns invalid_token, also in the challenge', async server => {
  const reply = await userinfo(server, 'nonsense')
  assertError(reply, 'invalid_token', 401)
  assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
})

eachServer('a token in two places is rejected', async server => {
  const { access_token } = await tokensFor(server, server.confidential)
  const headers = { authorization: `Bearer ${access_token}` }
  const reply = await post(server, server.metadata.userinfo_endpoint ?? '', { access_token }, headers)
  assertError(reply, 'invalid_request')
})

eachServer('a token in the query is not accepted', async server => {
  const { access_token } = await tokensFor(server, server.confidential)
  const reply = await server.send(`${server.metadata.userinfo_endpoint}?access_token=${access_token}`)
  assert.ok(reply.status === 400 || reply.status === 401, reply.text)
})

exceptOidcProvider('the challenge has no error code if the request has no token', async server => {
  const reply = await server.send(server.metadata.userinfo_endpoint ?? '')
  assert.equal(reply.status, 401)
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer')
})
