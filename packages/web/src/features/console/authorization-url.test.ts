import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildAuthorizationUrl, offeredScopes } from './authorization-url.ts'

const choice = { redirectUri: 'https://example.org/cb?x=1', scopes: ['identify', 'openid'] } as const

function parseUrl(text: string) {
  const url = new URL(text)
  return { endpoint: url.origin + url.pathname, query: Object.fromEntries(url.searchParams) }
}

test('builds the authorization request with the chosen scopes in the documented order, first openid', () => {
  const text = buildAuthorizationUrl('https://gate.example', { id: '42', type: 'confidential' }, choice)
  assert.deepEqual(parseUrl(text), {
    endpoint: 'https://gate.example/oauth2/authorize',
    query: {
      client_id: '42',
      response_type: 'code',
      redirect_uri: 'https://example.org/cb?x=1',
      scope: 'openid identify',
      state: 'STATE',
    },
  })
})

test('adds PKCE parameters without a secret, whatever the redirect URI (sign-in/pkce-required)', () => {
  for (const redirectUri of [choice.redirectUri, 'myapp://cb']) {
    const parametersOf = (type: 'public' | 'confidential') => {
      const url = buildAuthorizationUrl(
        'https://gate.example',
        { id: '42', type },
        { ...choice, redirectUri },
      )
      const { code_challenge, code_challenge_method } = parseUrl(url).query
      return [code_challenge, code_challenge_method]
    }
    assert.deepEqual(parametersOf('public'), ['CODE_CHALLENGE', 'S256'])
    assert.deepEqual(parametersOf('confidential'), [undefined, undefined])
  }
})

test('offers the scope groups only for an application with groups (sign-in/groups)', () => {
  const server = { id: '7', membersOnly: true, requiredRoles: [], groupsClaim: null }
  const others = ['identify', 'email', 'servers', 'servers.members.read', 'openid']
  assert.deepEqual(offeredScopes({ server: null }), others)
  assert.deepEqual(offeredScopes({ server: { ...server, groups: [] } }), others)
  const groups = [{ roleId: '8', value: 'pilots' }]
  assert.deepEqual(offeredScopes({ server: { ...server, groups } }), [...others, 'groups'])
})
