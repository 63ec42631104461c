import assert from 'node:assert/strict'
import { assertRoundTrips } from '@gatehouse/testkit/round-trips'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  assertError,
  codeFor,
  exchangeCode,
  makeApplication,
  refresh,
  signUp,
  type TestApplication,
  userinfo,
} from '../oauth-testing.ts'

async function setUp(service: TestService) {
  const ada = await signUp(service, 'ada')
  /** Five codes, because `assertRoundTrips` runs its operation five times. */
  async function codesOf(app: TestApplication, more = {}): Promise<string[]> {
    const codes: string[] = []
    while (codes.length < 5) codes.push(await codeFor(ada, app, more))
    return codes
  }
  return { ada, codesOf }
}

function assertTokens(reply: TestResponse, scope: string): void {
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body.scope, scope)
}

for (const type of ['confidential', 'public'] as const) {
  eachService(
    `an exchange of a ${type} client waits three times for PostgreSQL, a refresh four times`,
    async (_t, service) => {
      const { ada, codesOf } = await setUp(service)
      const app = await makeApplication(ada, { type })
      const codes = await codesOf(app, { scope: 'identify email' })
      let last = { refresh_token: '', access_token: '' }
      await assertRoundTrips(service, 3, async () => {
        const reply = await exchangeCode(service, app, codes.pop() ?? '')
        assertTokens(reply, 'identify email')
        last = reply.body
      })
      await assertRoundTrips(service, 4, async () => {
        const reply = await refresh(service, app, last.refresh_token)
        assertTokens(reply, 'identify email')
        last = reply.body
      })
      assert.equal((await userinfo(service, last.access_token)).status, 200)
    },
  )
}

eachService(
  'with an ID token, for which the user and the key are read, an exchange waits five times, a refresh six times',
  async (_t, service) => {
    const { ada, codesOf } = await setUp(service)
    const app = await makeApplication(ada)
    const codes = await codesOf(app, { scope: 'openid identify' })
    let token = ''
    await assertRoundTrips(service, 5, async () => {
      const reply = await exchangeCode(service, app, codes.pop() ?? '')
      assertTokens(reply, 'openid identify')
      token = reply.body.refresh_token
    })
    await assertRoundTrips(service, 6, async () => {
      const reply = await refresh(service, app, token)
      assertTokens(reply, 'openid identify')
      token = reply.body.refresh_token
    })
  },
)

eachService('a refresh with a sid, whose sign-in is recorded, waits seven times', async (_t, service) => {
  const { ada } = await setUp(service)
  const app = await makeApplication(ada, { backchannelLogoutUri: 'https://app.example/signed-out' })
  let { body } = await exchangeCode(service, app, await codeFor(ada, app, { scope: 'openid' }))
  await assertRoundTrips(service, 7, async () => {
    const reply = await refresh(service, app, body.refresh_token)
    assertTokens(reply, 'openid')
    body = reply.body
  })
})

eachService(
  'sign-in/refresh-grace: the repeated response of a refresh without scope has the scope of the grant',
  async (_t, service) => {
    const { ada } = await setUp(service)
    const app = await makeApplication(ada)
    const { body } = await exchangeCode(service, app, await codeFor(ada, app, { scope: 'identify email' }))
    const first = await refresh(service, app, body.refresh_token)
    const second = await refresh(service, app, body.refresh_token)
    assert.equal(second.status, 200, second.text)
    assert.deepEqual(second.body, first.body)
  },
  { env: { REFRESH_GRACE_SECONDS: '60' } },
)

eachService(
  'sign-in/client-guessing: a code or refresh token of a client with too many wrong secrets is not used',
  async (_t, service) => {
    const { ada } = await setUp(service)
    const app = await makeApplication(ada)
    const [code, other] = [await codeFor(ada, app), await codeFor(ada, app)]
    const { body } = await exchangeCode(service, app, other)
    const guess = () => exchangeCode(service, { ...app, secret: 'gcs_wrong' }, code)
    while ((await guess()).status !== 429);
    assertError(await exchangeCode(service, app, code), 429, 'temporarily_unavailable')
    assertError(await refresh(service, app, body.refresh_token), 429, 'temporarily_unavailable')
    service.clock.advance(15 * 60_000)
    assert.equal((await refresh(service, app, body.refresh_token)).status, 200)
  },
)

eachService(
  'sign-in/client-guessing: 429 leaves the code unused, also if wrong secrets are sent at the same time',
  async (_t, service) => {
    const { ada } = await setUp(service)
    const app = await makeApplication(ada)
    for (let round = 0; round < 5; round++) {
      const code = await codeFor(ada, app)
      const guess = () => exchangeCode(service, { ...app, secret: 'gcs_wrong' }, code)
      const wrong = Array.from({ length: 80 }, guess)
      const reply = await exchangeCode(service, app, code)
      const guesses = await Promise.all(wrong)
      assert.ok(guesses.some(({ status }) => status === 429))
      service.clock.advance(61_000)
      if (reply.status === 200) continue
      assertError(reply, 429, 'temporarily_unavailable')
      assert.equal((await exchangeCode(service, app, code)).status, 200)
    }
  },
)
