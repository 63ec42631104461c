import assert from 'node:assert/strict'
import { register } from '../platform/users/testing.ts'
import { eachService, type TestService } from '../testing.ts'

async function owner(service: TestService) {
  const client = service.client()
  await register(client, 'ada')
  return client
}

const body = { name: 'An application', type: 'confidential', redirectUris: ['https://app.example/cb'] }

eachService('the addresses of a sign-out are kept, changed and removed', async (_t, service) => {
  const ada = await owner(service)
  const plain = await ada.json('POST', '/api/applications', body)
  assert.deepEqual(plain.body.postLogoutRedirectUris, [])
  assert.equal(plain.body.backchannelLogoutUri, null)
  const made = await ada.json('POST', '/api/applications', {
    ...body,
    postLogoutRedirectUris: ['https://app.example/bye', 'com.example.app:/bye'],
    backchannelLogoutUri: 'https://app.example/signed-out',
  })
  assert.equal(made.status, 201, made.text)
  const path = `/api/applications/${made.body.id}`
  const kept = await ada.json('GET', path)
  assert.deepEqual(kept.body.postLogoutRedirectUris, ['https://app.example/bye', 'com.example.app:/bye'])
  assert.equal(kept.body.backchannelLogoutUri, 'https://app.example/signed-out')
  await ada.json('PATCH', path, { name: 'Another name' })
  assert.equal((await ada.json('GET', path)).body.backchannelLogoutUri, 'https://app.example/signed-out')
  const changed = await ada.json('PATCH', path, { postLogoutRedirectUris: [], backchannelLogoutUri: '' })
  assert.deepEqual(changed.body.postLogoutRedirectUris, [])
  assert.equal(changed.body.backchannelLogoutUri, null)
  assert.deepEqual(changed.body.redirectUris, body.redirectUris)
})

eachService('400: addresses that cannot be registered, by path', async (_t, service) => {
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
  ] as const) {
    const reply = await ada.json('POST', '/api/applications', { ...body, ...fields })
    assert.equal(reply.status, 400, JSON.stringify(fields))
    assert.equal(reply.body.errors[0].path, path)
  }
})

eachService('400 redirect_uri_limit: the eleventh', async (_t, service) => {
  const ada = await owner(service)
  const postLogoutRedirectUris = Array.from({ length: 11 }, (_one, index) => `https://app.example/${index}`)
  const reply = await ada.json('POST', '/api/applications', { ...body, postLogoutRedirectUris })
  assert.equal(reply.status, 400)
  assert.equal(reply.body.code, 'redirect_uri_limit')
})
