import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isScope, meaningOf, parseScopes, scopes } from './scopes.ts'

test('known scopes are kept in their order, each once, unknown ones left out (D12)', () => {
  assert.deepEqual(parseScopes('openid identify future openid email'), ['openid', 'identify', 'email'])
  assert.deepEqual(parseScopes('bot applications.commands'), ['bot', 'applications.commands'])
  assert.deepEqual(parseScopes('profile offline_access'), ['profile', 'offline_access'])
  assert.deepEqual(parseScopes('  identify  '), ['identify'])
})

test('nothing known is an empty list, something malformed none', () => {
  assert.deepEqual(parseScopes(''), [])
  assert.deepEqual(parseScopes('future constructor __proto__'), [])
  for (const text of ['identify "email"', 'identify\nemail', 'identify\\', 'identité', 'a\u0000']) {
    assert.equal(parseScopes(text), undefined)
  }
})

test('profile means identify, the others themselves', () => {
  assert.equal(meaningOf('profile'), 'identify')
  for (const scope of scopes) if (scope !== 'profile') assert.equal(meaningOf(scope), scope)
})

test('names of the prototype are no scopes', () => {
  assert.equal(isScope('toString'), false)
  assert.equal(isScope('identify'), true)
})
