import assert from 'node:assert/strict'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { register } from '../accounts/users/users-testing.ts'

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
