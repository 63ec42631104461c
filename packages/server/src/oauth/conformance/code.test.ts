import assert from 'node:assert/strict'
import { assertError, codeFor, eachServer, exchange, refresh, userinfo } from './testing.ts'

const noPkce = { code_challenge: undefined, code_challenge_method: undefined }

for (const kind of ['confidential', 'open'] as const) {
  eachServer(`a code gives tokens, kept by no cache: ${kind}`, async server => {
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

eachServer('a code presented again is refused, and ends what it gave', async server => {
  const client = server.confidential
  const code = await codeFor(server, client)
  const first = await exchange(server, client, code)
  assert.equal((await userinfo(server, first.body.access_token)).status, 200)
  assertError(await exchange(server, client, code), 'invalid_grant')
  assert.equal((await userinfo(server, first.body.access_token)).status, 401)
  assertError(await refresh(server, client, first.body.refresh_token), 'invalid_grant')
})

eachServer('a code of another client is refused', async server => {
  const code = await codeFor(server, server.confidential)
  assertError(await exchange(server, server.other, code), 'invalid_grant')
  assert.equal((await exchange(server, server.confidential, code)).status, 200)
})

eachServer('a code that was never given is refused', async server => {
  assertError(await exchange(server, server.confidential, 'nonsense'), 'invalid_grant')
})

eachServer('another redirect_uri than that of the request is refused', async server => {
  const code = await codeFor(server, server.confidential)
  const redirect_uri = 'https://app.example/other'
  assertError(await exchange(server, server.confidential, code, { redirect_uri }), 'invalid_grant')
})

eachServer('a missing verifier is refused', async server => {
  const code = await codeFor(server, server.confidential)
  assertError(
    await exchange(server, server.confidential, code, { code_verifier: undefined }),
    'invalid_grant',
  )
})

eachServer('a wrong verifier is refused', async server => {
  const code = await codeFor(server, server.open)
  assertError(await exchange(server, server.open, code, { code_verifier: 'x'.repeat(43) }), 'invalid_grant')
})

for (const [name, code_verifier] of [
  ['short', 'x'.repeat(42)],
  ['long', 'x'.repeat(129)],
  ['odd', `${'x'.repeat(43)}ä`],
] as const) {
  eachServer(`a verifier that is none is refused: ${name}`, async server => {
    const code = await codeFor(server, server.open)
    const reply = await exchange(server, server.open, code, { code_verifier })
    assert.equal(reply.status, 400, reply.text)
    assert.match(reply.body.error, /^invalid_(grant|request)$/)
  })
}

eachServer('a verifier without a challenge is refused', async server => {
  const code = await codeFor(server, server.confidential, noPkce)
  assertError(await exchange(server, server.confidential, code), 'invalid_grant')
})

eachServer('a client with a secret may do without PKCE', async server => {
  const code = await codeFor(server, server.confidential, noPkce)
  const reply = await exchange(server, server.confidential, code, { code_verifier: undefined })
  assert.equal(reply.status, 200, reply.text)
})
