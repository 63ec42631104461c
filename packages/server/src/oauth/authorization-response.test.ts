import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachService } from '@gatehouse/testkit/service'
import { StorageUnavailable } from '../storage/database.ts'
import { listFormActions } from './authorization-request.ts'
import { errorLocation } from './authorization-response.ts'
import { authorizePath, locationOf, makeApplication, parametersOf, signUp } from './oauth-testing.ts'

eachService(
  'sign-in/server-error: an internal error redirects with server_error and is logged',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await service.db.run`DROP VIEW valid_consents`
    const parameters = parametersOf(await ada.client.get(authorizePath(app)))
    assert.equal(parameters.error, 'server_error')
    assert.equal(parameters.state, 'state of the application')
    assert.equal(parameters.iss, service.url)
    assert.match(service.log.join(''), /an authorization request failed/)
  },
)

eachService(
  'form-action lists the origin of the redirect URI of an authorization request',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const list = (path: string) => listFormActions(service.db, path)
    assert.deepEqual(await list(authorizePath(app)), ['https://app.example'])
    assert.deepEqual(await list(authorizePath(app, { redirect_uri: undefined })), ['https://app.example'])
    assert.deepEqual(await list(authorizePath(app, { redirect_uri: 'https://evil.example/' })), [])
    assert.deepEqual(await list('/settings?redirect_uri=https://evil.example/'), [])
  },
)

eachService(
  'the form-action of the sign-in page allows the redirect URI, even if the request omits it',
  async (_t, service) => {
    const app = await makeApplication(await signUp(service, 'ada'))
    const browser = service.client()
    for (const more of [{}, { redirect_uri: undefined }]) {
      const to = locationOf(await browser.get(authorizePath(app, more)))
      const page = await browser.get(to.pathname + to.search)
      assert.match(
        page.headers.get('content-security-policy') ?? '',
        /form-action 'self' https:\/\/app\.example;/,
      )
    }
  },
)

test('sign-in/server-error: an unavailable database redirects with temporarily_unavailable', () => {
  const errors: unknown[] = []
  const target = { redirectUri: 'https://app.example/cb', state: 's' }
  const deps = { baseUrl: 'https://chat.example', onError: (error: unknown) => errors.push(error) }
  const location = errorLocation(deps, target, new StorageUnavailable(new Error('gone')))
  assert.match(location, /^https:\/\/app\.example\/cb\?error=temporarily_unavailable&/)
  assert.equal(errors.length, 1)
})
