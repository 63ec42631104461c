import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInAddress } from './sign-in-address.ts'

const choice = { redirectUri: 'https://example.org/cb?x=1', scopes: ['openid', 'identify'] } as const

function read(address: string) {
  const url = new URL(address)
  return { at: url.origin + url.pathname, query: Object.fromEntries(url.searchParams) }
}

test('the address asks for what was chosen, in the order of the specification', () => {
  const address = signInAddress('https://gate.example', { id: '42', type: 'confidential' }, choice)
  assert.deepEqual(read(address), {
    at: 'https://gate.example/oauth2/authorize',
    query: {
      client_id: '42',
      response_type: 'code',
      redirect_uri: 'https://example.org/cb?x=1',
      scope: 'identify openid',
      state: 'STATE',
    },
  })
})

test('an application without a secret is shown the place of its challenge', () => {
  const { query } = read(signInAddress('https://gate.example', { id: '42', type: 'public' }, choice))
  assert.equal(query.code_challenge, 'CODE_CHALLENGE')
  assert.equal(query.code_challenge_method, 'S256')
})
