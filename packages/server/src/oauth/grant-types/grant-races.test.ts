import assert from 'node:assert/strict'
import type { TestUser } from '@gatehouse/testkit/community'
import { requestsPerRound, rounds, sendAround } from '@gatehouse/testkit/races'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  codeFor,
  exchangeCode,
  makeApplication,
  post,
  refresh,
  signUp,
  startLogoutReceiver,
  type TestApplication,
  tokensFor,
  userinfo,
} from '../oauth-testing.ts'

/** After each of these, no code and no token of before works (sign-in/code-ends-with-session, sign-in/refresh-ends). */
const endings: Record<string, (ada: TestUser, app: TestApplication) => Promise<TestResponse>> = {
  'a reset of the client secret': async ({ client }, app) => {
    const reply = await client.json('POST', `/api/applications/${app.id}/secret`)
    app.secret = reply.body.clientSecret
    return reply
  },
  'the deletion of the application': ({ client }, app) =>
    client.json('DELETE', `/api/applications/${app.id}`),
  'the withdrawal of the consent': ({ client }, app) =>
    client.json('DELETE', `/api/users/@me/authorizations/${app.id}`),
  'a change of the password': async ada => {
    const password = `${ada.password}!`
    const reply = await ada.client.json('PATCH', '/api/users/@me', {
      password,
      currentPassword: ada.password,
    })
    ada.password = password
    return reply
  },
}

/** Throws unless the request was successful, or refused because of what has ended. */
function assertDecided({ status, body, text }: TestResponse): void {
  if (status !== 200) assert.ok(['invalid_grant', 'invalid_client'].includes(body.error), text)
}

/**
 * With the current secret, nothing that was sent during the change gives a working token, and no token of a reply
 * works.
 */
async function assertNothingWorks(
  service: TestService,
  app: TestApplication,
  replies: readonly TestResponse[],
  sendAgain: (index: number) => Promise<TestResponse>,
): Promise<void> {
  await Promise.all(
    replies.map(async (reply, index) => {
      assertDecided(reply)
      if (reply.status === 200) {
        assert.equal((await userinfo(service, reply.body.access_token)).status, 401)
        const refreshed = await refresh(service, app, reply.body.refresh_token)
        assert.notEqual(refreshed.status, 200)
      }
      const again = await sendAgain(index)
      assert.notEqual(again.status, 200)
    }),
  )
}

/** The first one alone, because it gives the consent. */
async function forEachRequest<T>(make: () => Promise<T>): Promise<T[]> {
  const first = await make()
  return [first, ...(await Promise.all(Array.from({ length: requestsPerRound - 1 }, make)))]
}

for (const [name, end] of Object.entries(endings)) {
  eachService(`200 exchanges during ${name}: no token of before works after it`, async (_t, service) => {
    const ada = await signUp(service, 'ada')
    for (let round = 0; round < rounds; round++) {
      const app = await makeApplication(ada)
      const codes = await forEachRequest(() => codeFor(ada, app))
      const exchange = (index: number) => exchangeCode(service, app, codes[index] ?? '')
      const replies = await sendAround(round, exchange, async () =>
        assert.ok((await end(ada, app)).status < 300),
      )
      await assertNothingWorks(service, app, replies, exchange)
    }
  })

  eachService(`200 refreshes during ${name}: no token of before works after it`, async (_t, service) => {
    const ada = await signUp(service, 'ada')
    for (let round = 0; round < rounds; round++) {
      const app = await makeApplication(ada)
      const tokens = await forEachRequest(() => tokensFor(service, ada, app))
      const rotate = (index: number) => refresh(service, app, tokens[index]?.refresh_token ?? '')
      const replies = await sendAround(round, rotate, async () =>
        assert.ok((await end(ada, app)).status < 300),
      )
      await assertNothingWorks(service, app, replies, rotate)
      for (const { access_token } of tokens) assert.equal((await userinfo(service, access_token)).status, 401)
    }
  })
}

eachService(
  '200 refreshes, each during the revocation of its token: no token of the family works ' +
    'after it (sign-in/revocation-family)',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    for (let round = 0; round < rounds; round++) {
      const tokens = await forEachRequest(() => tokensFor(service, ada, app))
      const rotate = (index: number) => refresh(service, app, tokens[index]?.refresh_token ?? '')
      const revokeAll = () =>
        Promise.all(
          tokens.map(({ refresh_token }) =>
            post(service, '/api/oauth2/token/revoke', { token: refresh_token }),
          ),
        )
      const replies = await sendAround(round, rotate, revokeAll)
      await assertNothingWorks(service, app, replies, rotate)
    }
  },
)

eachService(
  '200 exchanges while the user signs out: no code works after it, and a client that has an ID token is notified',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    let notified = 0
    for (let round = 0; round < rounds; round++) {
      const client = service.client()
      await client.json('POST', '/api/auth/login', { login: ada.username, password: ada.password })
      const codes = await forEachRequest(() => codeFor({ ...ada, client }, app, { scope: 'openid' }))
      const exchange = (index: number) => exchangeCode(service, app, codes[index] ?? '')
      const replies = await sendAround(round, exchange, async () => {
        assert.equal((await client.json('POST', '/api/auth/logout')).status, 204)
      })
      for (const reply of replies) assertDecided(reply)
      if (replies.some(({ status }) => status === 200)) notified++
      await receiver.waitForRequests(notified)
      assert.equal(receiver.requests.length, notified)
      // Tokens outlive the session (docs/decisions/logout.md).
      for (const { status, body } of replies) {
        if (status === 200) assert.equal((await refresh(service, app, body.refresh_token)).status, 200)
      }
      for (const index of codes.keys()) assert.notEqual((await exchange(index)).status, 200)
    }
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } },
)

eachService(
  '200 refreshes while the user signs out: each succeeds, and the client is notified once for each session',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    for (let round = 0; round < rounds; round++) {
      const client = service.client()
      await client.json('POST', '/api/auth/login', { login: ada.username, password: ada.password })
      const tokens = await forEachRequest(() =>
        tokensFor(service, { ...ada, client }, app, { scope: 'openid' }),
      )
      const rotate = (index: number) => refresh(service, app, tokens[index]?.refresh_token ?? '')
      const replies = await sendAround(round, rotate, async () => {
        assert.equal((await client.json('POST', '/api/auth/logout')).status, 204)
      })
      for (const { status, text } of replies) assert.equal(status, 200, text)
      await receiver.waitForRequests(round + 1)
      assert.deepEqual(await service.db.all`SELECT sid FROM oauth_sign_ins`, [])
    }
    assert.equal(receiver.requests.length, rounds)
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } },
)
