import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { register } from '../platform/users/testing.ts'
import { findRedirectUriError } from './urls.ts'

for (const uri of [
  'https://app.example/callback',
  'https://app.example/callback?tenant=1',
  'https://app.example:8443/cb',
  'https://xn--exmple-cua.example/cb',
  'https://192.0.2.1/cb',
  'https://[2001:db8::1]/cb',
  'http://localhost:3001/callback',
  'http://127.0.0.1/cb',
  'http://[::1]:9000/cb',
  'com.example.app:/callback',
  'com.example.my-app://oauth',
]) {
  test(`accepts ${uri}`, () => {
    assert.equal(findRedirectUriError(uri), undefined)
  })
}

// (sign-in/redirect-uri-registration)
for (const uri of [
  '',
  '/callback',
  'callback',
  '//app.example/cb',
  'https:app.example/cb',
  'https:/app.example/cb',
  'https://',
  'https://app.example/cb#fragment',
  'https://app.example/cb#',
  'https://user@app.example/cb',
  'https://good.example:x@evil.example/cb',
  'http://app.example/cb',
  'http://127.0.0.2/cb',
  'http://localhost.evil.example/cb',
  'http://0.0.0.0/cb',
  'http://2130706433/cb',
  'http://127.1/cb',
  'http://0x7f.0.0.1/cb',
  'http://[0:0:0:0:0:0:0:1]/cb',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://app.example/x',
  'file:///etc/passwd',
  'ftp://app.example/cb',
  'myapp:/callback',
  'myapp://callback',
  'https://app.example/c b',
  'https://app.example\\@evil.example/cb',
  'https://app.example/\u0000',
  'https://app.exämple/cb',
  'https://x;sandbox;y.example/cb',
  'https://a,b.example/cb',
  "https://a'b.example/cb",
  'https://a_b.example/cb',
  'https://*.example/cb',
  'https://-a.example/cb',
  'urn:example:cb',
]) {
  test(`rejects ${JSON.stringify(uri)}`, () => {
    assert.equal(typeof findRedirectUriError(uri), 'string')
  })
}

for (const [uri, reason] of [
  ['', 'absolute'],
  ['/callback', 'absolute'],
  ['https:app.example/cb', 'absolute'],
  ['https://', 'host'],
  ['https://app.example:99999/cb', 'port'],
  ['https://app.example/cb#fragment', 'fragment'],
  ['https://user@app.example/cb', 'credentials'],
  ['http://app.example/cb', 'redirect_https'],
  ['javascript:alert(1)', 'redirect_scheme'],
  ['myapp:/callback', 'redirect_scheme'],
  ['https://app.example/c b', 'characters'],
] as const) {
  test(`rejects ${JSON.stringify(uri)} with the reason ${reason}`, () => {
    assert.equal(findRedirectUriError(uri), reason)
  })
}

async function owner(service: TestService) {
  const client = service.client()
  await register(client, 'ada')
  return client
}

const application = { name: 'An application', type: 'confidential', redirectUris: ['https://app.example/cb'] }

eachService('stores, changes and removes the logout URIs', async (_t, service) => {
  const ada = await owner(service)
  const withoutUris = await ada.json('POST', '/api/applications', application)
  assert.deepEqual(withoutUris.body.postLogoutRedirectUris, [])
  assert.equal(withoutUris.body.backchannelLogoutUri, null)
  const created = await ada.json('POST', '/api/applications', {
    ...application,
    postLogoutRedirectUris: ['https://app.example/bye', 'com.example.app:/bye'],
    backchannelLogoutUri: 'https://app.example/signed-out',
  })
  assert.equal(created.status, 201, created.text)
  const path = `/api/applications/${created.body.id}`
  const stored = await ada.json('GET', path)
  assert.deepEqual(stored.body.postLogoutRedirectUris, ['https://app.example/bye', 'com.example.app:/bye'])
  assert.equal(stored.body.backchannelLogoutUri, 'https://app.example/signed-out')
  await ada.json('PATCH', path, { name: 'Another name' })
  assert.equal((await ada.json('GET', path)).body.backchannelLogoutUri, 'https://app.example/signed-out')
  const changed = await ada.json('PATCH', path, { postLogoutRedirectUris: [], backchannelLogoutUri: '' })
  assert.deepEqual(changed.body.postLogoutRedirectUris, [])
  assert.equal(changed.body.backchannelLogoutUri, null)
  assert.deepEqual(changed.body.redirectUris, application.redirectUris)
})

eachService('400: invalid URIs', async (_t, service) => {
  const ada = await owner(service)
  for (const [fields, path] of [
    [
      { postLogoutRedirectUris: ['https://app.example/ok', 'http://app.example/'] },
      'postLogoutRedirectUris[1]',
    ],
    [{ postLogoutRedirectUris: ['javascript:alert(1)'] }, 'postLogoutRedirectUris[0]'],
    [{ postLogoutRedirectUris: ['https://app.example/#x'] }, 'postLogoutRedirectUris[0]'],
    [{ backchannelLogoutUri: 'nonsense' }, 'backchannelLogoutUri'],
    [{ backchannelLogoutUri: 'http://app.example/out' }, 'backchannelLogoutUri'],
    [{ backchannelLogoutUri: 'https://127.0.0.1/out' }, 'backchannelLogoutUri'],
    [{ backchannelLogoutUri: 'https://[::1]/out' }, 'backchannelLogoutUri'],
    [{ backchannelLogoutUri: 'https://user@app.example/out' }, 'backchannelLogoutUri'],
    [{ backchannelLogoutUri: 'https://app.example/out#x' }, 'backchannelLogoutUri'],
    [{ backchannelLogoutUri: 'https://x;sandbox;y.example/out' }, 'backchannelLogoutUri'],
    [{ postLogoutRedirectUris: ['https://x;sandbox;y.example/'] }, 'postLogoutRedirectUris[0]'],
    [{ redirectUris: ['https://x;sandbox;y.example/cb'] }, 'redirectUris[0]'],
  ] as const) {
    const reply = await ada.json('POST', '/api/applications', { ...application, ...fields })
    assert.equal(reply.status, 400, JSON.stringify(fields))
    assert.equal(reply.body.errors[0].path, path)
  }
})

eachService('400 redirect_uri_limit: 11 URIs', async (_t, service) => {
  const ada = await owner(service)
  const postLogoutRedirectUris = Array.from({ length: 11 }, (_one, index) => `https://app.example/${index}`)
  const reply = await ada.json('POST', '/api/applications', { ...application, postLogoutRedirectUris })
  assert.equal(reply.status, 400)
  assert.equal(reply.body.code, 'redirect_uri_limit')
})
