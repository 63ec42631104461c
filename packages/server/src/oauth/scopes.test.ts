import assert from 'node:assert/strict'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import {
  allow,
  assertError,
  authorizePath,
  decide,
  exchangeCode,
  makeApplication,
  parametersOf,
  refresh,
  signUp,
  type TestApplication,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

/** Changes settings of an application. */
function set(owner: TestUser, { id }: TestApplication, settings: object): Promise<unknown> {
  return owner.client.request('PATCH', `/api/applications/${id}`, settings)
}

eachService(
  'sign-in/default-scopes: they replace a scope that is missing or has no known scope',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const withoutScopes = [undefined, '', 'user:email', 'id,email,name', 'offline_access']
    for (const scope of withoutScopes) {
      assert.equal((await allow(ada, app, { scope })).error, 'invalid_scope', String(scope))
    }
    await set(ada, app, { defaultScopes: ['identify', 'email'] })
    for (const scope of withoutScopes) {
      const tokens = await tokensFor(service, ada, app, { scope })
      assert.equal(tokens.scope, 'identify email', String(scope))
      assert.equal((await userinfo(service, tokens.access_token)).body.email, ada.email)
    }
    for (const scope of ['openid', 'openid user:email']) {
      assert.equal((await tokensFor(service, ada, app, { scope })).scope, 'openid', scope)
    }
    assert.equal((await allow(ada, app, { scope: 'a"b' })).error, 'invalid_scope', 'malformed')
    const only = { scope: undefined, redirect_uri: undefined }
    assert.ok((await allow(ada, app, only)).code, 'the only redirect URI may be omitted')
    const untyped = await allow(ada, app, { scope: undefined, response_type: undefined })
    assert.equal(untyped.error, 'invalid_request', 'the response_type may not')
  },
)

eachService(
  'sign-in/default-scopes: the user sees them on the consent page and can deselect them',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await set(ada, app, { defaultScopes: ['identify', 'email'] })
    const page = await ada.client.get(authorizePath(app, { scope: 'user:email' }))
    assert.match(page.text, /value="email" checked/)
    const { code = '' } = parametersOf(await decide(ada.client, page, { allow: [] }))
    const tokens = (await exchangeCode(service, app, code)).body
    assert.equal(tokens.scope, 'identify')
    // Some clients repeat their scope.
    const again = await refresh(service, app, tokens.refresh_token, { scope: 'user:email' })
    assert.equal(again.body.scope, 'identify')
    const more = await refresh(service, app, again.body.refresh_token, { scope: 'email' })
    assertError(more, 400, 'invalid_scope')
  },
)

eachService(
  'sign-in/added-scopes: they are added to every request for a code, and the token response lists them',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { bot: 'helper' })
    await set(ada, app, { addedScopes: ['identify', 'email', 'servers.members.read'] })
    for (const [scope, expected] of [
      ['openid', 'openid identify email servers.members.read'],
      ['email profile', 'email profile servers.members.read'],
      ['openid unknown', 'openid identify email servers.members.read'],
    ] as const) {
      assert.equal((await tokensFor(service, ada, app, { scope })).scope, expected, scope)
    }
    for (const scope of [undefined, 'unknown']) {
      assert.equal((await allow(ada, app, { scope })).error, 'invalid_scope', String(scope))
    }
    const { server } = await createServer(ada)
    const botOnly = { scope: 'bot', response_type: undefined }
    const installed = await allow(ada, app, botOnly, { server_id: server.id })
    assert.deepEqual([installed.server_id, installed.code], [server.id, undefined])
  },
)

eachService('sign-in/added-scopes: an added scope needs consent like any other', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  await tokensFor(service, ada, app, { scope: 'openid' })
  const none = { scope: 'openid', prompt: 'none' }
  assert.ok((await allow(ada, app, none)).code)
  await set(ada, app, { addedScopes: ['email'] })
  assert.equal((await allow(ada, app, none)).error, 'consent_required')
  const page = await ada.client.get(authorizePath(app, { scope: 'openid' }))
  assert.match(page.text, /value="email" checked/)
  const { code = '' } = parametersOf(await decide(ada.client, page))
  assert.equal((await exchangeCode(service, app, code)).body.scope, 'openid email')
  assert.ok((await allow(ada, app, none)).code)
})

eachService(
  'sign-in/added-scopes: a refresh with fewer scopes keeps those that were granted, and adds no others',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await set(ada, app, { addedScopes: ['email'] })
    let tokens = await tokensFor(service, ada, app, { scope: 'openid identify' })
    const refreshed = async (scope?: string) => {
      const reply = await refresh(service, app, tokens.refresh_token, { scope })
      assert.equal(reply.status, 200, reply.text)
      tokens = reply.body
      return reply.body.scope
    }
    assert.equal(await refreshed('identify'), 'identify email')
    assert.equal((await userinfo(service, tokens.access_token)).body.email, ada.email)
    await set(ada, app, { addedScopes: ['email', 'servers'] })
    assert.equal(await refreshed('openid'), 'openid email')
    assert.equal(await refreshed(), 'openid identify email')
    for (const scope of ['servers', 'identify servers', 'identify unknown', 'unknown']) {
      assertError(await refresh(service, app, tokens.refresh_token, { scope }), 400, 'invalid_scope')
    }
    await set(ada, app, { addedScopes: [] })
    assert.equal(await refreshed('identify'), 'identify')
  },
)

eachService(
  'sign-in/added-scopes, sign-in/default-scopes: `groups` is left out of both for an application without groups',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await set(ada, app, { defaultScopes: ['groups'], addedScopes: ['groups'] })
    assert.equal((await tokensFor(service, ada, app, { scope: 'openid groups' })).scope, 'openid')
    for (const scope of [undefined, 'groups']) {
      assert.equal((await allow(ada, app, { scope })).error, 'invalid_scope', String(scope))
    }
  },
)
