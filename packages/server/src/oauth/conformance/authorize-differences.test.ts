import assert from 'node:assert/strict'
import type { Fields } from './authorization-server.fixture.ts'
import {
  assertErrorPage,
  authorize,
  eachServer,
  exceptOidcProvider,
  requestFor,
} from './conformance-testing.ts'

eachServer('the response has a code, the unchanged state, and iss', async server => {
  const state = 'ä + % & = "x" '.repeat(12)
  const response = await authorize(server, server.confidential, { state })
  assert.ok((response.code ?? '').length >= 22)
  assert.equal(response.state, state)
  assert.equal(response.iss, server.issuer)
})

eachServer('the response has no state if the request has none', async server => {
  assert.equal('state' in (await authorize(server, server.confidential, { state: undefined })), false)
})

eachServer('an unknown client shows an error page without a redirect', async server => {
  const unknown = { ...server.confidential, id: '1000000000000000000' }
  assertErrorPage(await server.authorize(requestFor(server, unknown)))
})

for (const change of ['/more', '?more=1', '#more', '/']) {
  eachServer(
    `an unregistered redirect_uri shows an error page without a redirect: ${change}`,
    async server => {
      const { redirectUri } = server.confidential
      const query = requestFor(server, server.confidential, { redirect_uri: redirectUri + change })
      assertErrorPage(await server.authorize(query))
    },
  )
}

const rejected: [name: string, fields: Fields, error: string][] = [
  ['a missing response_type', { response_type: undefined }, 'invalid_request'],
  ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge with a wrong length', { code_challenge: 'short' }, 'invalid_request'],
  ['prompt=none with another value', { prompt: 'none login' }, 'invalid_request'],
  ['a max_age that is not a number', { max_age: 'soon' }, 'invalid_request'],
  ['a repeated scope', { scope: ['openid', 'openid'] }, 'invalid_request'],
  ['request', { request: 'x.y.z' }, 'request_not_supported'],
  ['request_uri', { request_uri: 'https://app.example/r' }, 'request_uri_not_supported'],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
]

for (const [name, fields, error] of rejected) {
  eachServer(`${name} returns ${error} without a code`, async server => {
    const response = await authorize(server, server.confidential, fields)
    assert.equal(response.error, error)
    assert.equal(response.state, 'client state')
    assert.equal(response.iss, server.issuer)
    assert.equal('code' in response, false)
  })
}

eachServer('a public client must send a challenge', async server => {
  const response = await authorize(server, server.public, {
    code_challenge: undefined,
    code_challenge_method: undefined,
  })
  assert.equal(response.error, 'invalid_request')
})

exceptOidcProvider('the default code_challenge_method is S256', async server => {
  const response = await authorize(server, server.public, { code_challenge_method: undefined })
  assert.equal(response.error, undefined)
})

exceptOidcProvider('an unsupported response_type returns its error in the query', async server => {
  const response = await authorize(server, server.confidential, { response_type: 'token' })
  assert.equal(response.error, 'unsupported_response_type')
})
