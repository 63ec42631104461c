import assert from 'node:assert/strict'
import type { Fields } from './authorization-server.fixture.ts'
import { answerTo, assertPage, eachServer, exceptOidcProvider, requestFor } from './testing.ts'

eachServer('a request ends in a code, with state unchanged and iss', async server => {
  const state = 'ä + % & = "x" '.repeat(12)
  const answer = await answerTo(server, server.confidential, { state })
  assert.ok((answer.code ?? '').length >= 22)
  assert.equal(answer.state, state)
  assert.equal(answer.iss, server.issuer)
})

eachServer('without state none comes back', async server => {
  assert.equal('state' in (await answerTo(server, server.confidential, { state: undefined })), false)
})

eachServer('an unknown client gets a page, and no redirect', async server => {
  const unknown = { ...server.confidential, id: '1000000000000000000' }
  assertPage(await server.authorize(requestFor(server, unknown)))
})

for (const change of ['/more', '?more=1', '#more', '/']) {
  eachServer(`an address that is not registered gets a page, and no redirect: ${change}`, async server => {
    const { redirectUri } = server.confidential
    const query = requestFor(server, server.confidential, { redirect_uri: redirectUri + change })
    assertPage(await server.authorize(query))
  })
}

const refused: [name: string, fields: Fields, error: string][] = [
  ['a missing response_type', { response_type: undefined }, 'invalid_request'],
  ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge of another length', { code_challenge: 'short' }, 'invalid_request'],
  ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
  ['a max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
  ['a repeated scope', { scope: ['openid', 'openid'] }, 'invalid_request'],
  ['request', { request: 'x.y.z' }, 'request_not_supported'],
  ['request_uri', { request_uri: 'https://app.example/r' }, 'request_uri_not_supported'],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
]

for (const [name, fields, error] of refused) {
  eachServer(`${name} comes back as ${error}, without a code`, async server => {
    const answer = await answerTo(server, server.confidential, fields)
    assert.equal(answer.error, error)
    assert.equal(answer.state, 'of the client')
    assert.equal(answer.iss, server.issuer)
    assert.equal('code' in answer, false)
  })
}

eachServer('a client without a secret needs a challenge', async server => {
  const answer = await answerTo(server, server.open, {
    code_challenge: undefined,
    code_challenge_method: undefined,
  })
  assert.equal(answer.error, 'invalid_request')
})

exceptOidcProvider('a challenge without a method is S256', async server => {
  const answer = await answerTo(server, server.open, { code_challenge_method: undefined })
  assert.equal(answer.error, undefined)
})

exceptOidcProvider('another response_type comes back in the query', async server => {
  const answer = await answerTo(server, server.confidential, { response_type: 'token' })
  assert.equal(answer.error, 'unsupported_response_type')
})
