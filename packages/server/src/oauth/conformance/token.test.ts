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
} from './testing.ts'

eachServer('a missing grant_type is invalid_request', async server => {
  assertError(await token(server, credentials(server.confidential)), 'invalid_request')
})

for (const grant_type of ['password', 'implicit', 'nonsense']) {
  eachServer(`the grant_type ${grant_type} is unsupported`, async server => {
    const form = { grant_type, ...credentials(server.confidential) }
    assertError(await token(server, form), 'unsupported_grant_type')
  })
}

eachServer('a wrong secret and an unknown client are one and the same error', async server => {
  const grant_type = 'refresh_token'
  const wrong = await token(server, { grant_type, client_id: server.confidential.id, client_secret: 'x' })
  const unknown = await token(server, { grant_type, client_id: '1000000000000000000', client_secret: 'x' })
  for (const reply of [wrong, unknown]) assertError(reply, 'invalid_client', 401)
  assert.deepEqual(wrong.body, unknown.body)
})

eachServer('a client with a secret that shows none is refused', async server => {
  const code = await codeFor(server, server.confidential)
  const reply = await exchange(server, server.confidential, code, { client_secret: undefined })
  assert.equal(reply.body.error, 'invalid_client')
})

eachServer('a secret of a client that has none is refused', async server => {
  const code = await codeFor(server, server.open)
  const reply = await exchange(server, server.open, code, { client_secret: 'x' })
  assert.equal(reply.body.error, 'invalid_client')
})

eachServer('a secret in two places is refused', async server => {
  const { id, secret } = server.confidential
  const authorization = `Basic ${btoa(`${id}:${secret}`)}`
  const form = { grant_type: 'refresh_token', refresh_token: 'x', ...credentials(server.confidential) }
  assertError(await token(server, form, { authorization }), 'invalid_request')
})

eachServer('a wrong secret in the header is answered with a challenge', async server => {
  const authorization = `Basic ${btoa(`${server.confidential.id}:wrong`)}`
  const reply = await token(server, { grant_type: 'refresh_token', refresh_token: 'x' }, { authorization })
  assertError(reply, 'invalid_client', 401)
  assert.match(reply.headers.get('www-authenticate') ?? '', /^Basic realm=/)
})

eachServer('a repeated parameter is refused', async server => {
  const form = { grant_type: ['refresh_token', 'refresh_token'], ...credentials(server.confidential) }
  assertError(await token(server, form), 'invalid_request')
})

eachServer('a body of JSON is refused', async server => {
  const reply = await server.send(server.metadata.token_endpoint ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'refresh_token', ...credentials(server.confidential) }),
  })
  assertError(reply, 'invalid_request')
})

eachServer('errors are kept by no cache', async server => {
  const reply = await token(server, {})
  assert.equal(reply.headers.get('cache-control'), 'no-store')
})

exceptOidcProvider('other methods are 405, with what is allowed', async server => {
  const reply = await server.send(server.metadata.token_endpoint ?? '')
  assert.equal(reply.status, 405)
  assert.equal(reply.headers.get('allow'), 'POST')
})

eachServer('a refresh gives the next pair', async server => {
  for (const client of [server.confidential, server.open]) {
    const first = await tokensFor(server, client)
    const next = await refresh(server, client, first.refresh_token)
    assert.equal(next.status, 200, next.text)
    assert.notEqual(next.body.refresh_token, first.refresh_token)
    assert.notEqual(next.body.access_token, first.access_token)
    assert.equal((await userinfo(server, next.body.access_token)).status, 200)
  }
})

eachServer('a used refresh token is refused, and ends its family', async server => {
  const client = server.confidential
  const first = await tokensFor(server, client)
  const next = await refresh(server, client, first.refresh_token)
  assertError(await refresh(server, client, first.refresh_token), 'invalid_grant')
  assertError(await refresh(server, client, next.body.refresh_token), 'invalid_grant')
  assert.equal((await userinfo(server, next.body.access_token)).status, 401)
})

exceptOidcProvider('a refresh ends the access token before it', async server => {
  const first = await tokensFor(server, server.confidential)
  await refresh(server, server.confidential, first.refresh_token)
  assert.equal((await userinfo(server, first.access_token)).status, 401)
})

eachServer("another client's refresh token is refused, and stays good for its own", async server => {
  const { refresh_token } = await tokensFor(server, server.confidential)
  assertError(await refresh(server, server.other, refresh_token), 'invalid_grant')
  assert.equal((await refresh(server, server.confidential, refresh_token)).status, 200)
})

eachServer('a refresh may narrow the scope, not widen it', async server => {
  const client = server.confidential
  const { refresh_token } = await tokensFor(server, client)
  const wider = await refresh(server, client, refresh_token, { scope: `${server.scope} servers` })
  assertError(wider, 'invalid_scope')
  const narrower = await refresh(server, client, refresh_token, { scope: 'openid' })
  assert.equal(narrower.body.scope, 'openid', narrower.text)
})

eachServer('an access token is no refresh token, and the other way round', async server => {
  const tokens = await tokensFor(server, server.confidential)
  assertError(await refresh(server, server.confidential, tokens.access_token), 'invalid_grant')
  assert.equal((await userinfo(server, tokens.refresh_token)).status, 401)
})

eachServer('a refresh token that is revoked takes its access token with it', async server => {
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

eachServer('what is no token is revoked all the same', async server => {
  const endpoint = server.metadata.revocation_endpoint ?? ''
  assert.equal(
    (await post(server, endpoint, { token: 'x', ...credentials(server.confidential) })).status,
    200,
  )
})

exceptOidcProvider('holding a token is enough to revoke it', async server => {
  const tokens = await tokensFor(server, server.confidential)
  const reply = await post(server, server.metadata.revocation_endpoint ?? '', { token: tokens.access_token })
  assert.equal(reply.status, 200)
})
