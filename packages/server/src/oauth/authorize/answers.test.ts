import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StorageUnavailable } from '../../storage/database.ts'
import { eachService } from '../../testing.ts'
import { authorizePath, locationOf, makeApplication, parametersOf, signUp } from '../testing.ts'
import { refused } from './answers.ts'
import { formActionsOf } from './form-action.ts'

eachService(
  'check 22: what goes wrong on our side goes back as server_error, and into the log',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await service.db.run`DROP TABLE oauth_consents`
    const parameters = parametersOf(await ada.client.get(authorizePath(app)))
    assert.equal(parameters.error, 'server_error')
    assert.equal(parameters.state, 'state of the application')
    assert.equal(parameters.iss, service.url)
    assert.match(service.log.join(''), /an authorization failed/)
  },
)

eachService(
  'a page whose form leads to an application names its address in form-action',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const of = (path: string) => formActionsOf(service.db, path)
    assert.deepEqual(await of(authorizePath(app)), ['https://app.example'])
    assert.deepEqual(await of(authorizePath(app, { redirect_uri: undefined })), ['https://app.example'])
    assert.deepEqual(await of(authorizePath(app, { redirect_uri: 'https://evil.example/' })), [])
    assert.deepEqual(await of('/settings?redirect_uri=https://evil.example/'), [])
  },
)

eachService(
  'the sign-in page lets its form end at the application, named in the request or not',
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

test('check 22: a storage that is away is temporarily_unavailable', () => {
  const reported: unknown[] = []
  const target = { redirectUri: 'https://app.example/cb', state: 's' }
  const deps = { baseUrl: 'https://chat.example', report: (error: unknown) => reported.push(error) }
  const outcome = refused(deps, target, new StorageUnavailable(new Error('gone')))
  assert.ok(outcome.kind === 'redirect')
  assert.match(outcome.location, /^https:\/\/app\.example\/cb\?error=temporarily_unavailable&/)
  assert.equal(reported.length, 1)
})
