import assert from 'node:assert/strict'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { createSecret, createToken, parseToken } from '../kit/secret.ts'
import * as store from './grant-store.ts'
import {
  assertError,
  basic,
  codeFor,
  exchangeCode,
  makeApplication,
  post,
  refresh,
  signUp,
  type TestApplication,
  type Tokens,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

async function isActive(service: TestService, app: TestApplication, token: string): Promise<boolean> {
  const reply = await post(service, '/api/oauth2/introspect', { token }, basic(app.id, app.secret ?? ''))
  assert.equal(reply.status, 200, reply.text)
  return reply.body.active
}

eachService(
  'community/secrets: a code and all tokens of its grant contain the same id',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const code = await codeFor(ada, app)
    const id = grantIdOf(code)
    assert.notEqual(id, '')
    const first: Tokens = (await exchangeCode(service, app, code)).body
    const second: Tokens = (await refresh(service, app, first.refresh_token)).body
    for (const tokens of [first, second]) {
      assert.equal(parseToken('gat_', tokens.access_token)?.id, id)
      assert.equal(parseToken('grt_', tokens.refresh_token)?.id, id)
    }
    const other = await codeFor(ada, app)
    assert.notEqual(grantIdOf(other), id)
  },
)

eachService('community/secrets: the id of a grant alone gives no access', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const waiting = await codeFor(ada, app)
  const first = await tokensFor(service, ada, app)
  const second: Tokens = (await refresh(service, app, first.refresh_token)).body
  const id = parseToken('gat_', second.access_token)?.id ?? ''
  const access = createToken('gat_', id)
  const refreshing = createToken('grt_', id)
  const codes = [createToken('gac_', id), createToken('gac_', grantIdOf(waiting))]

  assert.equal((await userinfo(service, access)).status, 401)
  for (const token of [access, refreshing]) assert.equal(await isActive(service, app, token), false)
  for (const code of codes) assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
  assertError(await refresh(service, app, refreshing), 400, 'invalid_grant')
  for (const token of [access, refreshing]) await post(service, '/api/oauth2/token/revoke', { token })

  assert.equal((await userinfo(service, second.access_token)).status, 200)
  for (const token of [second.access_token, second.refresh_token]) {
    assert.equal(await isActive(service, app, token), true)
  }
  assert.equal((await refresh(service, app, second.refresh_token)).status, 200)
  assert.equal((await exchangeCode(service, app, waiting)).status, 200)
})

function grantIdOf(code: string): string {
  return parseToken('gac_', code)?.id ?? ''
}

eachService('community/secrets: a token of a grant that does not exist is rejected', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const unknownId = '1503602194636431361'
  assert.equal((await userinfo(service, createToken('gat_', unknownId))).status, 401)
  assert.equal((await userinfo(service, createSecret('gat_'))).status, 401)
  for (const token of [createToken('grt_', unknownId), createSecret('grt_')]) {
    assertError(await refresh(service, app, token), 400, 'invalid_grant')
    assert.equal(await isActive(service, app, token), false)
  }
  for (const code of [createToken('gac_', unknownId), createSecret('gac_')]) {
    assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
  }
})

eachService('sign-in/revocation: revoking a replaced access token has no effect', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const first = await tokensFor(service, ada, app)
  const second: Tokens = (await refresh(service, app, first.refresh_token)).body
  await post(service, '/api/oauth2/token/revoke', { token: first.access_token })
  assert.equal((await userinfo(service, second.access_token)).status, 200)
})

eachService(
  'sign-in/code-single-use: a request that has read an unused code cannot exchange it after another request',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const code = await codeFor(ada, app)
    const { access_token }: Tokens = (await exchangeCode(service, app, code)).body
    const now = service.clock.now()
    const columns = {
      ...{ accessHash: 'other', accessScope: 'identify', accessExpiresAt: now + 1 },
      ...{ refreshHash: 'other', issuedAt: now, refreshExpiresAt: now + 1 },
    }
    assert.equal(await store.exchangeCode(service.db, grantIdOf(code), now, columns), false)
    assert.equal((await userinfo(service, access_token)).status, 200)
  },
)
