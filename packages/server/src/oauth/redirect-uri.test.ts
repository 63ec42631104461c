import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendQuery, isRegisteredRedirectUri, toFormActionSource } from './redirect-uri.ts'

const confidential = {
  type: 'confidential',
  redirectUris: ['https://app.example/callback', 'https://app.example/cb?tenant=1'],
  allowLoopbackPort: false,
} as const

for (const uri of confidential.redirectUris) {
  test(`a registered redirect URI matches itself: ${uri}`, () => {
    assert.equal(isRegisteredRedirectUri(uri, confidential), true)
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
  test(`sign-in/redirect-uri-exact: a different URI does not match: ${JSON.stringify(uri)}`, () => {
    assert.equal(isRegisteredRedirectUri(uri, confidential), false)
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
  test(`sign-in/redirect-uri-loopback-port: a loopback IP literal matches with any port: ${uri}`, () => {
    assert.equal(isRegisteredRedirectUri(uri, native), true)
    assert.equal(
      isRegisteredRedirectUri(uri, { ...native, allowLoopbackPort: false }),
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
  test(`sign-in/redirect-uri-loopback-port: only the port of a loopback IP literal may differ: ${uri}`, () => {
    assert.equal(isRegisteredRedirectUri(uri, native), false)
  })
}

test('sign-in/redirect-uri-loopback-port: the port of a confidential application must match', () => {
  const web = {
    type: 'confidential',
    redirectUris: ['http://127.0.0.1/cb'],
    allowLoopbackPort: true,
  } as const
  assert.equal(isRegisteredRedirectUri('http://127.0.0.1:1/cb', web), false)
})

test('sign-in/response-in-query: parameters are added to the existing query', () => {
  assert.equal(appendQuery('https://a.example/cb', { code: 'x' }), 'https://a.example/cb?code=x')
  assert.equal(appendQuery('https://a.example/cb?b=%2F', { code: 'x' }), 'https://a.example/cb?b=%2F&code=x')
  assert.equal(appendQuery('https://a.example/cb?', { code: 'x' }), 'https://a.example/cb?code=x')
  assert.equal(
    appendQuery('com.example:/cb', { state: 'a b&+', nonce: undefined }),
    'com.example:/cb?state=a%20b%26%2B',
  )
})

test('form-action allows the origin of a redirect URI, or its scheme', () => {
  assert.equal(toFormActionSource('https://app.example:8443/cb?x'), 'https://app.example:8443')
  assert.equal(toFormActionSource('http://127.0.0.1:5/cb'), 'http://127.0.0.1:5')
  assert.equal(toFormActionSource('http://[::1]:5/cb'), 'http:')
  assert.equal(toFormActionSource('com.example.app:/cb'), 'com.example.app:')
  assert.equal(toFormActionSource('com.example.app://x;sandbox;y/cb'), 'com.example.app:')
  assert.equal(toFormActionSource('https://x;sandbox;y.example/cb'), 'https:')
})
