import assert from 'node:assert/strict'
import * as client from 'openid-client'
import { eachService, type TestService } from '../testing.ts'
import {
  decide,
  locationOf,
  makeApplication,
  signUp,
  type TestApplication,
  type TestPerson,
} from './testing.ts'

interface Flow {
  service: TestService
  person: TestPerson
  application: TestApplication
  authentication: client.ClientAuth
}

async function configure({ service, application, authentication }: Flow): Promise<client.Configuration> {
  // The service's clock is in the hand of the test; the client library has its own.
  const skew = Math.round((service.clock.now() - Date.now()) / 1000)
  const metadata = { [client.clockSkew]: skew, id_token_signed_response_alg: 'RS256' }
  return client.discovery(new URL(service.url), application.id, metadata, authentication, {
    execute: [client.allowInsecureRequests],
  })
}

/** Discovery, authorization, exchange, validation of the id_token, userinfo, refresh, introspection, revocation. */
async function signIn(flow: Flow): Promise<void> {
  const { service, person, application } = flow
  const config = await configure(flow)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const expectedNonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: application.redirectUri,
    scope: 'openid profile email offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    max_age: '3600',
  })
  assert.equal(url.origin, service.url)
  const page = await person.client.get(url.pathname + url.search)
  const back = locationOf(await decide(person.client, page))

  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 3600 }
  const tokens = await client.authorizationCodeGrant(config, back, checks)
  const claims = tokens.claims()
  assert.equal(claims?.sub, person.id)
  assert.equal(claims?.email, person.email)
  assert.equal(tokens.scope, 'openid profile email offline_access')
  assert.equal(tokens.expires_in, 604_800)

  const info = await client.fetchUserInfo(config, tokens.access_token, person.id)
  assert.equal(info.preferred_username, person.username)
  assert.equal(info.email, person.email)

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.equal(refreshed.claims()?.sub, person.id)
  if (application.secret !== undefined) {
    const introspected = await client.tokenIntrospection(config, refreshed.access_token)
    assert.equal(introspected.active, true)
    assert.equal(introspected.sub, person.id)
  }
  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  await assert.rejects(
    client.fetchUserInfo(config, refreshed.access_token, person.id),
    /invalid_token|401|unexpected|challenge/i,
  )
  await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token ?? ''), {
    error: 'invalid_grant',
  })
  await assert.rejects(client.authorizationCodeGrant(config, back, checks), { error: 'invalid_grant' })
}

eachService(
  'openid-client signs a person in to an application with a secret, by header',
  async (_t, service) => {
    const person = await signUp(service, 'ada')
    const application = await makeApplication(person)
    await signIn({
      service,
      person,
      application,
      authentication: client.ClientSecretBasic(application.secret),
    })
  },
)

eachService(
  'openid-client signs a person in to an application with a secret, by form',
  async (_t, service) => {
    const person = await signUp(service, 'ada')
    const application = await makeApplication(person)
    await signIn({
      service,
      person,
      application,
      authentication: client.ClientSecretPost(application.secret),
    })
  },
)

eachService('openid-client signs a person in to a public application', async (_t, service) => {
  const person = await signUp(service, 'ada')
  const application = await makeApplication(person, {
    type: 'public',
    redirectUris: ['http://127.0.0.1:49152/callback'],
  })
  await signIn({ service, person, application, authentication: client.None() })
})

eachService('openid-client sees what was denied', async (_t, service) => {
  const person = await signUp(service, 'ada')
  const application = await makeApplication(person)
  const authentication = client.ClientSecretBasic(application.secret)
  const config = await configure({ service, person, application, authentication })
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: application.redirectUri,
    scope: 'identify',
    state: expectedState,
  })
  const page = await person.client.get(url.pathname + url.search)
  const back = locationOf(await decide(person.client, page, { decision: 'deny' }))
  await assert.rejects(client.authorizationCodeGrant(config, back, { expectedState }), {
    error: 'access_denied',
  })
})
