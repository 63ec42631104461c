import assert from 'node:assert/strict'
import { eachService, type Reply, type TestService } from '../../testing.ts'
import {
  assertError,
  basic,
  makeApplication,
  post,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from '../testing.ts'

const path = '/api/oauth2/token/revoke'

function assertEmpty(reply: Reply): void {
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body, {})
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
}

async function revoke(service: TestService, token: string, more: Record<string, string> = {}): Promise<void> {
  assertEmpty(await post(service, path, { token, ...more }))
}

eachService(
  'checks 125 and 129: an access token dies alone, without client authentication',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app)
    await revoke(service, tokens.access_token)
    assert.equal((await userinfo(service, tokens.access_token)).status, 401)
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200)
  },
)

eachService('check 129: a refresh token takes its access token with it', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app)
  const others = await tokensFor(service, ada, app)
  await revoke(service, tokens.refresh_token)
  assert.equal((await userinfo(service, tokens.access_token)).status, 401)
  assertError(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant')
  assert.equal((await userinfo(service, others.access_token)).status, 200)
})

eachService('checks 126 and 130: whatever is sent, the answer is an empty object', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app)
  await revoke(service, tokens.access_token)
  await revoke(service, tokens.access_token)
  for (const token of [
    'x',
    'gat_x',
    tokens.access_token.replace('gat_', 'gac_'),
    '\u0000',
    'ü'.repeat(1000),
  ]) {
    await revoke(service, token)
  }
  assertEmpty(await post(service, path, {}))
  assertEmpty(await post(service, path, { token: '' }))
  const send = (headers: Record<string, string>, body?: string) =>
    service.client().send(path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
  assertEmpty(await send({}))
  assertEmpty(await send({ 'content-type': 'application/json' }, '{"token":'))
  assertEmpty(await send({ 'content-type': 'text/plain' }, 'x'))
  const method = await service.client().get(path)
  assert.equal(method.status, 405)
  assert.deepEqual(method.body, {})
})

eachService('check 127: client credentials that come along change nothing', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const other = await makeApplication(ada)
  const first = await tokensFor(service, ada, app)
  assertEmpty(await post(service, path, { token: first.access_token }, basic(other.id, 'wrong')))
  assert.equal((await userinfo(service, first.access_token)).status, 401)
  const second = await tokensFor(service, ada, app)
  await revoke(service, second.access_token, { client_id: other.id, client_secret: 'wrong' })
  assert.equal((await userinfo(service, second.access_token)).status, 401)
})

eachService('check 128: a wrong token_type_hint does no harm', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app)
  await revoke(service, tokens.access_token, { token_type_hint: 'refresh_token' })
  assert.equal((await userinfo(service, tokens.access_token)).status, 401)
  await revoke(service, tokens.refresh_token, { token_type_hint: 'something' })
  assertError(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant')
})
