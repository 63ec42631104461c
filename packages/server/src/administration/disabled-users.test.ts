import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator, setDisabled } from '@gatehouse/testkit/administration'
import { register } from '@gatehouse/testkit/community'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { addTotp, totpCode } from '../accounts/second-factor/second-factor-testing.ts'
import { password } from '../accounts/users/users-testing.ts'
import { compose } from '../compose.ts'
import { clientOn, connectUser, createBot, identify } from '../gateway/gateway-testing.ts'
import { createLogger } from '../http/log.ts'
import { createWorld, runCommand } from '../interactions/interactions-testing.ts'
import {
  assertError,
  authorizePath,
  codeFor,
  exchangeCode,
  makeApplication,
  post,
  readLogoutToken,
  refresh,
  startLogoutReceiver,
  tokensFor,
  userinfo,
} from '../oauth/oauth-testing.ts'

const logIn = (service: TestService, login: string, password: string) =>
  service.client().json('POST', '/api/auth/login', { login, password })

eachService(
  'a code and the tokens of a disabled user are not valid, and are again when the user is enabled',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const application = await makeApplication(operator)
    const tokens = await tokensFor(service, ada, application)
    const code = await codeFor(ada, application)
    await setDisabled(operator, ada, true)
    assertError(await exchangeCode(service, application, code), 400, 'invalid_grant')
    assertError(await refresh(service, application, tokens.refresh_token), 400, 'invalid_grant')
    assertError(await userinfo(service, tokens.access_token), 401, 'invalid_token')
    await setDisabled(operator, ada, false)
    assert.equal((await userinfo(service, tokens.access_token)).status, 200)
    assert.equal((await exchangeCode(service, application, code)).status, 200)
    assert.equal((await refresh(service, application, tokens.refresh_token)).status, 200)
  },
)

eachService(
  'tokens that are revoked while their user is disabled stay revoked (sign-in/revocation-family)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const application = await makeApplication(operator)
    const [first, second, third] = [
      await tokensFor(service, ada, application),
      await tokensFor(service, ada, application),
      await tokensFor(service, ada, application),
    ]
    const refreshed = await refresh(service, application, third.refresh_token)
    await setDisabled(operator, ada, true)
    for (const token of [first.access_token, second.refresh_token, third.refresh_token])
      await post(service, '/api/oauth2/token/revoke', { token })
    await setDisabled(operator, ada, false)
    assertError(await userinfo(service, first.access_token), 401, 'invalid_token')
    assertError(await userinfo(service, second.access_token), 401, 'invalid_token')
    assertError(await userinfo(service, refreshed.body.access_token), 401, 'invalid_token')
    assert.equal((await refresh(service, application, first.refresh_token)).status, 200)
  },
)

eachService(
  'the applications of a disabled user sign in nobody, and do again when the user is enabled',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const ben = await register(service, 'ben')
    const application = await makeApplication(ada)
    const tokens = await tokensFor(service, ben, application)
    const code = await codeFor(ben, application)
    await setDisabled(operator, ada, true)
    assert.equal((await ben.client.get(authorizePath(application))).status, 400)
    assertError(await exchangeCode(service, application, code), 401, 'invalid_client')
    assertError(await userinfo(service, tokens.access_token), 401, 'invalid_token')
    await setDisabled(operator, ada, false)
    assert.equal((await ben.client.get(authorizePath(application))).status, 303)
    assert.equal((await exchangeCode(service, application, code)).status, 200)
    assert.equal((await userinfo(service, tokens.access_token)).status, 200)
  },
)

eachService(
  'a disabled user learns it only after the right password (administration/disabled-sign-in)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const ben = await register(service, 'ben', password)
    await addTotp(service, ben.client)
    for (const user of [ada, ben]) await setDisabled(operator, user, true)
    for (const user of [ada, ben]) {
      const wrong = await logIn(service, user.username, 'wrong')
      assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_credentials'])
      const right = await logIn(service, user.username, user.password)
      assert.deepEqual([right.status, right.body.code], [403, 'account_disabled'])
    }
    await setDisabled(operator, ada, false)
    assert.equal((await logIn(service, 'ada', ada.password)).status, 200)
  },
)

eachService(
  'a sign-in that waits for the second factor is refused when the user is disabled meanwhile',
  async (_t, service) => {
    const [operator, ben] = [await createOperator(service), await register(service, 'ben', password)]
    const { secret } = await addTotp(service, ben.client)
    service.clock.advance(30_000)
    const client = service.client()
    const { body } = await client.json('POST', '/api/auth/login', { login: 'ben', password: ben.password })
    await setDisabled(operator, ben, true)
    const complete = async () => {
      const code = await totpCode(service, secret)
      return client.json('POST', '/api/auth/login/second-factor', { ticket: body.ticket, code })
    }
    const refused = await complete()
    assert.deepEqual([refused.status, refused.body.code], [403, 'account_disabled'])
    await setDisabled(operator, ben, false)
    // The refused sign-in has used up neither the ticket nor the code.
    assert.equal((await complete()).status, 200)
  },
)

eachService(
  'a disabled user gets no mail to reset the password, and cannot use an earlier one',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const forgot = () => service.client().json('POST', '/api/auth/password/forgot', { email: ada.email })
    const resets = () =>
      service.mails.flatMap(({ text }) => /reset-password\?token=(\S+)/.exec(text)?.[1] ?? [])
    await forgot()
    while (resets().length === 0) await new Promise(resolve => setImmediate(resolve))
    await setDisabled(operator, ada, true)
    const reset = () =>
      service.client().json('POST', '/api/auth/password/reset', {
        token: resets()[0],
        password: 'battery staple',
      })
    const refused = await reset()
    assert.deepEqual([refused.status, refused.body.code], [403, 'account_disabled'])
    await forgot()
    await setDisabled(operator, ada, false)
    assert.equal((await reset()).status, 204)
    assert.equal(resets().length, 1)
  },
)

eachService(
  'the commands of a bot whose owner is disabled are not listed and do not run (administration/disabled-bots)',
  async (_t, service) => {
    const world = await createWorld(service)
    const operator = await createOperator(service)
    await world.bot.connect()
    const list = async () => (await world.ann.client.get(`/api/channels/${world.channelId}/commands`)).body
    assert.equal((await list()).length, 2)
    await setDisabled(operator, world.owner, true)
    assert.deepEqual(await list(), [])
    assert.equal((await runCommand(world, 'ping')).status, 404)
    await setDisabled(operator, world.owner, false)
    assert.equal((await list()).length, 2)
    assert.equal((await runCommand(world, 'ping')).status, 202)
  },
)

eachService(
  'an application receives a logout token when its user is disabled, and another when the session ends ' +
    '(administration/disabled-logout)',
  async (t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const receiver = await startLogoutReceiver(t)
    const application = await makeApplication(operator, { backchannelLogoutUri: receiver.uri })
    await tokensFor(service, ada, application, { scope: 'openid' })
    await setDisabled(operator, ada, true)
    await receiver.waitForRequests(1)
    const claims = await readLogoutToken(service, receiver.requests[0]?.body, application.id)
    assert.equal(claims.sub, ada.id)
    await setDisabled(operator, ada, false)
    assert.equal((await ada.client.json('POST', '/api/auth/logout')).status, 204)
    await receiver.waitForRequests(2)
    const again = await readLogoutToken(service, receiver.requests[1]?.body, application.id)
    assert.equal(again.sid, claims.sid)
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } },
)

test('the connections of a disabled user and their bots close on both nodes within a second', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const [operator, ada] = [await createOperator(a), await register(a, 'ada')]
  const bot = await createBot(a, ada)
  const connections = [
    await connectUser(a, ada),
    await connectUser(b, clientOn(b, ada)),
    await identify(a, bot),
    await identify(b, bot),
  ]
  const other = await connectUser(b, clientOn(b, operator))
  const startedAt = performance.now()
  await setDisabled(operator, ada, true)
  for (const { closed } of connections) assert.deepEqual(await closed, { code: 4004, reason: 'disabled' })
  assert.ok(performance.now() - startedAt < 1000)
  assert.equal(other.socket.readyState, other.socket.OPEN)
  assert.equal((await clientOn(b, ada).client.get('/api/users/@me')).status, 401)
  await setDisabled(operator, ada, false)
  await connectUser(b, clientOn(b, ada))
  await identify(b, bot)
})

eachService(
  'a command of the operator closes the connections of the user and their bots within 5 s without NATS ' +
    '(administration/disabled-connections)',
  async (_t, service) => {
    const [ada, ben] = [await register(service, 'ada'), await register(service, 'ben')]
    const [ofAda, ofBen] = [await createBot(service, ada), await createBot(service, ben)]
    const closing = [await connectUser(service, ada), await identify(service, ofAda)]
    const others = [await connectUser(service, ben), await identify(service, ofBen)]
    const command = await compose(service.config, createLogger('silent'), { clock: service.clock.now })
    await command.parts.adminUsers.updateByOperator('ada', { disabled: true })
    await command.close()
    service.clock.advance(5000)
    for (const { closed } of closing) assert.equal((await closed).code, 4004)
    for (const { socket } of others) assert.equal(socket.readyState, socket.OPEN)
  },
)
