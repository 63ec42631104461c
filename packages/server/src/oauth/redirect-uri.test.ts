import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formActionOf, isRegistered, withParameters } from './redirect-uri.ts'

const confidential = {
  type: 'confidential',
  redirectUris: ['https://app.example/callback', 'https://app.example/cb?tenant=1'],
  allowLoopbackPort: false,
} as const

for (const uri of confidential.redirectUris) {
  test(`a registered address matches itself: ${uri}`, () => {
    assert.equal(isRegistered(uri, confidential), true)
  })
}

for (const uri of [
  'https://app.example/callback/abc',
  'https://app.example/callback/',
  'https://app.example/callback?x=1',
  'https://app.example/callback#x',
  'https://app.example/Callback',
  'https://APP.example/callback',
  'HTTPS://app.example/callback',
  'https://app.example:443/callback',
  'https://app.example/./callback',
  'https://app.example/x/../callback',
  'https://app.example/%63allback',
  'https://app.example%2Fcallback',
  'https://app.example@evil.example/callback',
  'https://app.example.evil.example/callback',
  'https://evil.example/callback',
  'http://app.example/callback',
  'https://app.example/callback ',
  ' https://app.example/callback',
  'javascript:alert(1)',
  'JavaScript:alert(1)//https://app.example/callback',
  'java\tscript:alert(1)',
  'data:text/html,x',
  '//app.example/callback',
  '/callback',
  '',
]) {
  test(`checks 3 to 8 and 11: nothing else matches: ${JSON.stringify(uri)}`, () => {
    assert.equal(isRegistered(uri, confidential), false)
  })
}

const native = {
  type: 'public',
  redirectUris: ['http://127.0.0.1/cb', 'http://[::1]:1234/cb', 'http://localhost/cb', 'com.example.app:/cb'],
  allowLoopbackPort: true,
} as const

for (const uri of [
  'http://127.0.0.1:49152/cb',
  'http://127.0.0.1/cb',
  'http://[::1]:7/cb',
  'http://[::1]/cb',
]) {
  test(`check 12: a loopback literal matches on any port: ${uri}`, () => {
    assert.equal(isRegistered(uri, native), true)
    assert.equal(
      isRegistered(uri, { ...native, allowLoopbackPort: false }),
      native.redirectUris.some(own => own === uri),
    )
  })
}

for (const uri of [
  'http://127.0.0.1:49152/other',
  'http://127.0.0.1:49152/cb/',
  'http://127.0.0.1:49152/cb?x=1',
  'http://127.0.0.1:99999/cb',
  'http://127.0.0.1:/cb',
  'http://127.0.0.1:1@evil.example/cb',
  'http://127.0.0.2:1/cb',
  'http://127.1:1/cb',
  'http://localhost:1/cb',
  'http://localhost.evil.example/cb',
  'https://127.0.0.1:1/cb',
]) {
  test(`checks 12 and 13: the port alone is free, and of the literals alone: ${uri}`, () => {
    assert.equal(isRegistered(uri, native), false)
  })
}

test('check 13: a confidential application has no free port', () => {
  const web = {
    type: 'confidential',
    redirectUris: ['http://127.0.0.1/cb'],
    allowLoopbackPort: true,
  } as const
  assert.equal(isRegistered('http://127.0.0.1:1/cb', web), false)
})

test('check 32: parameters are added to the query that is there', () => {
  assert.equal(withParameters('https://a.example/cb', { code: 'x' }), 'https://a.example/cb?code=x')
  assert.equal(
    withParameters('https://a.example/cb?b=%2F', { code: 'x' }),
    'https://a.example/cb?b=%2F&code=x',
  )
  assert.equal(withParameters('https://a.example/cb?', { code: 'x' }), 'https://a.example/cb?code=x')
  assert.equal(
    withParameters('com.example:/cb', { state: 'a b&+', nonce: undefined }),
    'com.example:/cb?state=a%20b%26%2B',
  )
})

test('a policy names the origin of a redirect, or its scheme', () => {
  assert.equal(formActionOf('https://app.example:8443/cb?x'), 'https://app.example:8443')
  assert.equal(formActionOf('http://127.0.0.1:5/cb'), 'http://127.0.0.1:5')
  assert.equal(formActionOf('http://[::1]:5/cb'), 'http:')
  assert.equal(formActionOf('com.example.app:/cb'), 'com.example.app:')
})
