import assert from 'node:assert/strict'
import {
  assertError,
  codeFor,
  credentials,
  eachServer,
  exceptOidcProvider,
  exchange,
  post,
  refresh,
  token,
  tokensFor,
  userinfo,
} from './conformance-testing.ts'

eachServer('a missing grant_type returns invalid_request', async server => {
  assertError(await token(server, credentials(server.confidential)), 'invalid_request')
})

for (const grant_type of ['password', 'implicit', 'nonsense']) {
  eachServer(`the grant_type ${grant_type} is unsupported`, async server => {
    const form = { grant_type, ...credentials(server.confidential) }
    assertError(await token(server, form), 'unsupported_grant_type')
  })
}

eachServer('a wrong secret and an unknown client return the same error', async server => {
  const grant_type = 'refresh_token'
  const wrong = await token(server, { grant_type, client_id: server.confidential.id, client_secret: 'x' })
  const unknown = await token(server, { grant_type, client_id: '1000000000000000000', client_secret: 'x' })
  for (const reply of [wrong, unknown]) assertError(reply, 'invalid_client', 401)
  assert.deepEqual(wrong.body, unknown.body)
})

eachServer('a confidential client without a secret is rejected', async server => {
  const code = await codeFor(server, server.confidential)
  const reply = await exchange(server, server.confidential, code, { client_secret: undefined })
  assert.equal(reply.body.error, 'invalid_client')
})

eachServer('a public client with a secret is rejected', async server => {
  const code = await codeFor(server, server.public)
  const reply = await exchange(server, server.public, code, { client_secret: 'x' })
  assert.equal(reply.body.error, 'invalid_client')
})

eachServer('a secret in two places is rejected', async server => {
  const { id, secret } = server.confidential
  const authorization = `Basic ${btoa(`${id}:${secret}`)}`
  const form = { grant_type: 'refresh_token', refresh_token: 'x', ...credentials(server.confidential) }
  assertError(await token(server, form, { authorization }), 'invalid_request')
})

eachServer('a wrong secret in the header returns a challenge', async server => {
  const authorization = `Basic ${btoa(`${server.confidential.id}:wrong`)}`
  const reply = await token(server, { grant_type: 'refresh_token', refresh_token: 'x' }, { authorization })
  assertError(reply, 'invalid_client', 401)
  assert.match(reply.headers.get('www-authenticate') ?? '', /^Basic realm=/)
})

eachServer('a repeated parameter is rejected', async server => {
  const form = { grant_type: ['refresh_token', 'refresh_token'], ...credentials(server.confidential) }
  assertError(await token(server, form), 'invalid_request')
})

eachServer('a JSON body is rejected', async server => {
  const reply = await server.send(server.metadata.token_endpoint ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'refresh_token', ...credentials(server.confidential) }),
  })
  assertError(reply, 'invalid_request')
})

eachServer('errors are not cached', async server => {
  const reply = await token(server, {})
  assert.equal(reply.headers.get('cache-control'), 'no-store')
})

exceptOidcProvider('other methods return 405 with Allow', async server => {
  const reply = await server.send(server.metadata.token_endpoint ?? '')
  assert.equal(reply.status, 405)
  assert.equal(reply.headers.get('allow'), 'POST')
})

eachServer('a refresh returns a new token pair', async server => {
  for (const client of [server.confidential, server.public]) {
    const first = await tokensFor(server, client)
    const next = await refresh(server, client, first.refresh_token)
    assert.equal(next.status, 200, next.text)
    assert.notEqual(next.body.refresh_token, first.refresh_token)
    assert.notEqual(next.body.access_token, first.access_token)
    assert.equal((await userinfo(server, next.body.access_token)).status, 200)
  }
})

eachServer('a reused refresh token is rejected and revokes its token family', async server => {
  const client = server.confidential
  const first = await tokensFor(server, client)
  const next = await refresh(server, client, first.refresh_token)
  assertError(await refresh(server, client, first.refresh_token), 'invalid_grant')
  assertError(await refresh(server, client, next.body.refresh_token), 'invalid_grant')
  assert.equal((await userinfo(server, next.body.access_token)).status, 401)
})

exceptOidcProvider('a refresh revokes the previous access token', async server => {
  const first = await tokensFor(server, server.confidential)
  await refresh(server, server.confidential, first.refresh_token)
  assert.equal((await userinfo(server, first.access_token)).status, 401)
})

eachServer("another client's refresh token is rejected and remains valid", async server => {
  const { refresh_token } = await tokensFor(server, server.confidential)
  assertError(await refresh(server, server.other, refresh_token), 'invalid_grant')
  assert.equal((await refresh(server, server.confidential, refresh_token)).status, 200)
})

eachServer('a refresh can narrow the scope but not widen it', async server => {
  const client = server.confidential
  const { refresh_token } = await tokensFor(server, client)
  const wider = await refresh(server, client, refresh_token, { scope: `${server.scope} servers` })
  assertError(wider, 'invalid_scope')
  const narrower = await refresh(server, client, refresh_token, { scope: 'openid' })
  assert.equal(narrower.body.scope, 'openid', narrower.text)
})

eachServer('an access token is not accepted as a refresh token, nor the reverse', async server => {
  const tokens = await tokensFor(server, server.confidential)
  assertError(await refresh(server, server.confidential, tokens.access_token), 'invalid_grant')
  assert.equal((await userinfo(server, tokens.refresh_token)).status, 401)
})

eachServer('revoking a refresh token revokes its access token', async server => {
  const tokens = await tokensFor(server, server.confidential)
  const endpoint = server.metadata.revocation_endpoint ?? ''
  const form = {
    token: tokens.refresh_token,
    token_type_hint: 'access_token',
    ...credentials(server.confidential),
  }
  assert.equal((await post(server, endpoint, form)).status, 200)
  assertError(await refresh(server, server.confidential, tokens.refresh_token), 'invalid_grant')
  assert.equal((await userinfo(server, tokens.access_token)).status, 401)
})

eachServer('revoking an invalid token returns 200', async server => {
  const endpoint = server.metadata.revocation_endpoint ?? ''
  assert.equal(
    (await post(server, endpoint, { token: 'x', ...credentials(server.confidential) })).status,
    200,
  )
})

exceptOidcProvider('revocation needs no client authentication', async server => {
  const tokens = await tokensFor(server, server.confidential)
  const reply = await post(server, server.metadata.revocation_endpoint ?? '', { token: tokens.access_token })
  assert.equal(reply.status, 200)
})
