import assert from 'node:assert/strict'
import { eachService } from '../testing.ts'
import {
  assertError,
  authorizePath,
  exchangeCode,
  makeApplication,
  parametersOf,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from './testing.ts'

eachService('tokens of before end with the migration, what was allowed stays', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const before = await tokensFor(service, ada, app)
  await service.db.run`DELETE FROM migrations WHERE name = '0013-tokens-by-id'`
  await service.restart()
  assert.equal((await userinfo(service, before.access_token)).status, 401)
  assertError(await refresh(service, app, before.refresh_token), 400, 'invalid_grant')
  // One redirect, no page.
  const { code } = parametersOf(await ada.client.get(authorizePath(app)))
  const after = (await exchangeCode(service, app, code ?? '')).body
  assert.equal((await userinfo(service, after.access_token)).status, 200)
})
