import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import {
  codeFor,
  exchangeCode,
  makeApplication,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from '../oauth-testing.ts'

eachService(
  'sign-in/refresh-rollback: a refresh that fails leaves the old token pair valid',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app)
    // Makes the last statement of the rotation fail.
    await service.db.run`ALTER TABLE oauth_used_refresh_tokens RENAME TO used_renamed`
    const failed = await refresh(service, app, tokens.refresh_token)
    assert.equal(failed.status, 500)
    assert.equal(failed.body.error, 'server_error')
    assert.equal((await userinfo(service, tokens.access_token)).status, 200)
    await service.db.run`ALTER TABLE used_renamed RENAME TO oauth_used_refresh_tokens`
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200)
  },
)

eachService(
  'sign-in/refresh-rollback: a code exchange that fails leaves the code valid',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { backchannelLogoutUri: 'https://app.example/logged-out' })
    const code = await codeFor(ada, app, { scope: 'openid identify' })
    // Makes the last statement of the exchange fail.
    await service.db.run`ALTER TABLE oauth_sign_ins RENAME TO sign_ins_renamed`
    assert.equal((await exchangeCode(service, app, code)).status, 500)
    await service.db.run`ALTER TABLE sign_ins_renamed RENAME TO oauth_sign_ins`
    assert.equal((await exchangeCode(service, app, code)).status, 200)
  },
)
