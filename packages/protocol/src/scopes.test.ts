import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalScope, isScope, parseScopes, scopes } from './scopes.ts'

test('known scopes are returned in order and once, unknown scopes are ignored (sign-in/unknown-scopes)', () => {
  assert.deepEqual(parseScopes('openid identify future openid email'), ['openid', 'identify', 'email'])
  assert.deepEqual(parseScopes('bot applications.commands'), ['bot', 'applications.commands'])
  assert.deepEqual(parseScopes('profile offline_access'), ['profile', 'offline_access'])
  assert.deepEqual(parseScopes('  identify  '), ['identify'])
})

test('only unknown scopes give an empty list, a malformed value gives undefined', () => {
  assert.deepEqual(parseScopes(''), [])
  assert.deepEqual(parseScopes('future constructor __proto__'), [])
  for (const text of ['identify "email"', 'identify\nemail', 'identify\\', 'identité', 'a\u0000']) {
    assert.equal(parseScopes(text), undefined)
  }
})

test('profile is an alias of identify, other scopes have no alias', () => {
  assert.equal(canonicalScope('profile'), 'identify')
  for (const scope of scopes) if (scope !== 'profile') assert.equal(canonicalScope(scope), scope)
})

test('names of Object.prototype are not scopes', () => {
  assert.equal(isScope('toString'), false)
  assert.equal(isScope('identify'), true)
})
