import assert from 'node:assert/strict'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import * as oauth from 'oauth4webapi'
import { makeApplication, signUp } from '../oauth-testing.ts'
import { decideAt, useSystemTime } from './client-testing.ts'

const insecure = { [oauth.allowInsecureRequests]: true }

async function discover(service: TestService): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(service.url)
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
}

for (const method of ['client_secret_basic', 'client_secret_post', 'none'] as const) {
  eachService(`oauth4webapi: sign-in, refresh and logout with ${method}`, async (_t, service) => {
    useSystemTime(service)
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, {
      type: method === 'none' ? 'public' : 'confidential',
      postLogoutRedirectUris: ['https://app.example/bye'],
    })
    const server = await discover(service)
    const client: oauth.Client = { client_id: app.id, id_token_signed_response_alg: 'RS256' }
    const secret = app.secret ?? ''
    const authentication = {
      client_secret_basic: () => oauth.ClientSecretBasic(secret),
      client_secret_post: () => oauth.ClientSecretPost(secret),
      none: () => oauth.None(),
    }[method]()

    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const nonce = oauth.generateRandomNonce()
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: app.id,
      redirect_uri: app.redirectUri,
      response_type: 'code',
      scope: 'openid profile email offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      max_age: '600',
    }).toString()
    const back = await decideAt(ada, url.href)

    const response = oauth.validateAuthResponse(server, client, back, state)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        response,
        app.redirectUri,
        verifier,
        insecure,
      ),
      { expectedNonce: nonce, maxAge: 600, requireIdToken: true },
    )
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    assert.equal(claims?.sub, ada.id)
    assert.equal(claims?.email, ada.email)

    const info = await oauth.processUserInfoResponse(
      server,
      client,
      ada.id,
      await oauth.userInfoRequest(server, client, tokens.access_token, insecure),
    )
    assert.equal(info.preferred_username, 'ada')

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(
        server,
        client,
        authentication,
        tokens.refresh_token ?? '',
        insecure,
      ),
    )
    assert.equal(oauth.getValidatedIdTokenClaims(refreshed)?.sub, ada.id)
    const outdated = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
    await assert.rejects(
      oauth.processUserInfoResponse(server, client, ada.id, outdated),
      (error: unknown) => {
        assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
        assert.equal(error.cause[0]?.parameters.error, 'invalid_token')
        return true
      },
    )

    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authentication, refreshed.refresh_token ?? '', insecure),
    )
    const rejected = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      refreshed.refresh_token ?? '',
      insecure,
    )
    await assert.rejects(oauth.processRefreshTokenResponse(server, client, rejected), {
      error: 'invalid_grant',
    })

    const logout = new URL(server.end_session_endpoint ?? '')
    logout.search = new URLSearchParams({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'https://app.example/bye',
    }).toString()
    const loggedOut = await ada.client.get(logout.pathname + logout.search)
    assert.equal(loggedOut.headers.get('location'), 'https://app.example/bye')
  })
}

eachService('oauth4webapi: access_denied and iss', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const server = await discover(service)
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: app.id,
    response_type: 'code',
    scope: 'identify',
    state: 's',
  }).toString()
  const back = await decideAt(ada, url.href, 'deny')
  assert.throws(() => oauth.validateAuthResponse(server, { client_id: app.id }, back, 's'), {
    error: 'access_denied',
  })
})
