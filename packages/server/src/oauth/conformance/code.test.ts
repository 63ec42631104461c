import assert from 'node:assert/strict'
import { assertError, codeFor, eachServer, exchange, refresh, userinfo } from './conformance-testing.ts'

const noPkce = { code_challenge: undefined, code_challenge_method: undefined }

for (const kind of ['confidential', 'public'] as const) {
  eachServer(`exchanging a code returns tokens that are not cached: ${kind}`, async server => {
    const client = server[kind]
    const reply = await exchange(server, client, await codeFor(server, client))
    assert.equal(reply.status, 200, reply.text)
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.equal(reply.body.token_type, 'Bearer')
    assert.equal(typeof reply.body.expires_in, 'number')
    assert.equal(reply.body.scope, server.scope)
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      assert.equal(typeof reply.body[name], 'string', name)
    }
  })
}

eachServer('a reused code is rejected and revokes its tokens', async server => {
  const client = server.confidential
  const code = await codeFor(server, client)
  const first = await exchange(server, client, code)
  assert.equal((await userinfo(server, first.body.access_token)).status, 200)
  assertError(await exchange(server, client, code), 'invalid_grant')
  assert.equal((await userinfo(server, first.body.access_token)).status, 401)
  assertError(await refresh(server, client, first.body.refresh_token), 'invalid_grant')
})

eachServer('a code of another client is rejected', async server => {
  const code = await codeFor(server, server.confidential)
  assertError(await exchange(server, server.other, code), 'invalid_grant')
  assert.equal((await exchange(server, server.confidential, code)).status, 200)
})

eachServer('an unknown code is rejected', async server => {
  assertError(await exchange(server, server.confidential, 'nonsense'), 'invalid_grant')
})

eachServer('a redirect_uri that differs from the authorization request is rejected', async server => {
  const code = await codeFor(server, server.confidential)
  const redirect_uri = 'https://app.example/other'
  assertError(await exchange(server, server.confidential, code, { redirect_uri }), 'invalid_grant')
})

eachServer('a missing verifier is rejected', async server => {
  const code = await codeFor(server, server.confidential)
  assertError(
    await exchange(server, server.confidential, code, { code_verifier: undefined }),
    'invalid_grant',
  )
})

eachServer('a wrong verifier is rejected', async server => {
  const code = await codeFor(server, server.public)
  assertError(await exchange(server, server.public, code, { code_verifier: 'x'.repeat(43) }), 'invalid_grant')
})

for (const [name, code_verifier] of [
  ['short', 'x'.repeat(42)],
  ['long', 'x'.repeat(129)],
  ['invalid characters', `${'x'.repeat(43)}ä`],
] as const) {
  eachServer(`a malformed verifier is rejected: ${name}`, async server => {
    const code = await codeFor(server, server.public)
    const reply = await exchange(server, server.public, code, { code_verifier })
    assert.equal(reply.status, 400, reply.text)
    assert.match(reply.body.error, /^invalid_(grant|request)$/)
  })
}

eachServer('a verifier without a challenge is rejected', async server => {
  const code = await codeFor(server, server.confidential, noPkce)
  assertError(await exchange(server, server.confidential, code), 'invalid_grant')
})

eachServer('a confidential client may omit PKCE', async server => {
  const code = await codeFor(server, server.confidential, noPkce)
  const reply = await exchange(server, server.confidential, code, { code_verifier: undefined })
  assert.equal(reply.status, 200, reply.text)
})
