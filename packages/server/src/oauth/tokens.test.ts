import assert from 'node:assert/strict'
import { makePlacedSecret, makeSecret, readPlacedSecret } from '../kit/secret.ts'
import { eachService, type TestService } from '../testing.ts'
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
} from './testing.ts'

async function isActive(service: TestService, app: TestApplication, token: string): Promise<boolean> {
  const reply = await post(service, '/api/oauth2/introspect', { token }, basic(app.id, app.secret ?? ''))
  assert.equal(reply.status, 200, reply.text)
  return reply.body.active
}

eachService('D6: a code and all tokens that come of it name one family', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  const id = placeOf(code)
  assert.notEqual(id, '')
  const first: Tokens = (await exchangeCode(service, app, code)).body
  const second: Tokens = (await refresh(service, app, first.refresh_token)).body
  for (const tokens of [first, second]) {
    assert.equal(readPlacedSecret('gat_', tokens.access_token)?.id, id)
    assert.equal(readPlacedSecret('grt_', tokens.refresh_token)?.id, id)
  }
  const other = await codeFor(ada, app)
  assert.notEqual(placeOf(other), id)
})

eachService('D6: who knows the id of a family can do nothing to it', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const waiting = await codeFor(ada, app)
  const first = await tokensFor(service, ada, app)
  const second: Tokens = (await refresh(service, app, first.refresh_token)).body
  const id = readPlacedSecret('gat_', second.access_token)?.id ?? ''
  const access = makePlacedSecret('gat_', id)
  const renewing = makePlacedSecret('grt_', id)
  const codes = [makePlacedSecret('gac_', id), makePlacedSecret('gac_', placeOf(waiting))]

  assert.equal((await userinfo(service, access)).status, 401)
  for (const token of [access, renewing]) assert.equal(await isActive(service, app, token), false)
  for (const code of codes) assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
  assertError(await refresh(service, app, renewing), 400, 'invalid_grant')
  for (const token of [access, renewing]) await post(service, '/api/oauth2/token/revoke', { token })

  assert.equal((await userinfo(service, second.access_token)).status, 200)
  for (const token of [second.access_token, second.refresh_token]) {
    assert.equal(await isActive(service, app, token), true)
  }
  assert.equal((await refresh(service, app, second.refresh_token)).status, 200)
  assert.equal((await exchangeCode(service, app, waiting)).status, 200)
})

function placeOf(code: string): string {
  return readPlacedSecret('gac_', code)?.id ?? ''
}

eachService('D6: a token of no family is refused like any other', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const nobodys = '1503602194636431361'
  assert.equal((await userinfo(service, makePlacedSecret('gat_', nobodys))).status, 401)
  assert.equal((await userinfo(service, makeSecret('gat_'))).status, 401)
  for (const token of [makePlacedSecret('grt_', nobodys), makeSecret('grt_')]) {
    assertError(await refresh(service, app, token), 400, 'invalid_grant')
    assert.equal(await isActive(service, app, token), false)
  }
  for (const code of [makePlacedSecret('gac_', nobodys), makeSecret('gac_')]) {
    assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
  }
})

eachService('D20: an access token that was replaced revokes nothing', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const first = await tokensFor(service, ada, app)
  const second: Tokens = (await refresh(service, app, first.refresh_token)).body
  await post(service, '/api/oauth2/token/revoke', { token: first.access_token })
  assert.equal((await userinfo(service, second.access_token)).status, 200)
})
