import assert from 'node:assert/strict'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import * as client from 'openid-client'
import {
  bindServer,
  decide,
  giveRole,
  locationOf,
  makeApplication,
  signUp,
  type TestApplication,
} from '../oauth-testing.ts'

interface Flow {
  service: TestService
  user: TestUser
  application: TestApplication
  authentication: client.ClientAuth
}

async function configure({ service, application, authentication }: Flow): Promise<client.Configuration> {
  // The service has the clock of the test, the library has the system clock.
  const skew = Math.round((service.clock.now() - Date.now()) / 1000)
  const metadata = { [client.clockSkew]: skew, id_token_signed_response_alg: 'RS256' }
  return client.discovery(new URL(service.url), application.id, metadata, authentication, {
    execute: [client.allowInsecureRequests],
  })
}

async function signIn(flow: Flow): Promise<void> {
  const { service, user, application } = flow
  const { server } = await createServer(user)
  const roleId = await giveRole(user, server.id, 'Players', user)
  await bindServer(user, application, { id: server.id, groups: [{ roleId }] })
  const config = await configure(flow)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const expectedNonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: application.redirectUri,
    scope: 'openid profile email offline_access groups',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    max_age: '3600',
  })
  assert.equal(url.origin, service.url)
  const page = await user.client.get(url.pathname + url.search)
  const back = locationOf(await decide(user.client, page))

  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 3600 }
  const tokens = await client.authorizationCodeGrant(config, back, checks)
  const claims = tokens.claims()
  assert.deepEqual(claims?.groups, ['players'])
  assert.equal(claims?.sub, user.id)
  assert.equal(claims?.email, user.email)
  assert.equal(tokens.scope, 'openid profile email offline_access groups')
  assert.equal(tokens.expires_in, 604_800)

  const info = await client.fetchUserInfo(config, tokens.access_token, user.id)
  assert.equal(info.preferred_username, user.username)
  assert.equal(info.email, user.email)
  assert.deepEqual(info.groups, ['players'])

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.equal(refreshed.claims()?.sub, user.id)
  if (application.secret !== undefined) {
    const introspected = await client.tokenIntrospection(config, refreshed.access_token)
    assert.equal(introspected.active, true)
    assert.equal(introspected.sub, user.id)
  }
  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  for (const revoked of [tokens, refreshed]) {
    await assert.rejects(client.fetchUserInfo(config, revoked.access_token, user.id), (error: unknown) => {
      assert.ok(error instanceof client.WWWAuthenticateChallengeError)
      assert.equal(error.cause[0]?.parameters.error, 'invalid_token')
      return true
    })
  }
  await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token ?? ''), {
    error: 'invalid_grant',
  })
  await assert.rejects(client.authorizationCodeGrant(config, back, checks), { error: 'invalid_grant' })
}

eachService('openid-client: sign-in with client_secret_basic', async (_t, service) => {
  const user = await signUp(service, 'ada')
  const application = await makeApplication(user)
  await signIn({
    service,
    user,
    application,
    authentication: client.ClientSecretBasic(application.secret),
  })
})

eachService('openid-client: sign-in with client_secret_post', async (_t, service) => {
  const user = await signUp(service, 'ada')
  const application = await makeApplication(user)
  await signIn({
    service,
    user,
    application,
    authentication: client.ClientSecretPost(application.secret),
  })
})

eachService('openid-client: sign-in of a public application', async (_t, service) => {
  const user = await signUp(service, 'ada')
  const application = await makeApplication(user, {
    type: 'public',
    redirectUris: ['http://127.0.0.1:49152/callback'],
  })
  await signIn({ service, user, application, authentication: client.None() })
})

eachService('openid-client: access_denied', async (_t, service) => {
  const user = await signUp(service, 'ada')
  const application = await makeApplication(user)
  const authentication = client.ClientSecretBasic(application.secret)
  const config = await configure({ service, user, application, authentication })
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: application.redirectUri,
    scope: 'identify',
    state: expectedState,
  })
  const page = await user.client.get(url.pathname + url.search)
  const back = locationOf(await decide(user.client, page, { decision: 'deny' }))
  await assert.rejects(client.authorizationCodeGrant(config, back, { expectedState }), {
    error: 'access_denied',
  })
})
