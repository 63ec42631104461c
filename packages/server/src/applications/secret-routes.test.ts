import assert from 'node:assert/strict'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import {
  codeFor,
  exchangeCode,
  makeApplication,
  refresh,
  tokensFor,
  userinfo,
} from '../oauth/oauth-testing.ts'
import type { Transaction } from '../storage/database.ts'
import { createFixture } from './applications-testing.ts'

eachService(
  'a reset revokes all tokens and codes of the application and the old secret (sign-in/secret-reset-revokes)',
  async (_t, service) => {
    const { owner, member, application, path } = await createFixture(service)
    const other = await makeApplication(owner)
    const ownerTokens = await tokensFor(service, owner, application)
    const memberTokens = await tokensFor(service, member, application)
    const otherTokens = await tokensFor(service, member, other)
    const code = await codeFor(member, application)

    const reset = await owner.client.json('POST', `${path}/secret`)
    assert.equal(reset.status, 200, reset.text)
    assert.equal(reset.headers.get('cache-control'), 'no-store')
    assert.deepEqual(Object.keys(reset.body), ['clientSecret'])
    const updated = { ...application, secret: String(reset.body.clientSecret) }
    assert.notEqual(updated.secret, application.secret)

    for (const { access_token, refresh_token } of [ownerTokens, memberTokens]) {
      assert.equal((await userinfo(service, access_token)).status, 401)
      assert.equal((await refresh(service, updated, refresh_token)).body.error, 'invalid_grant')
    }
    assert.equal((await userinfo(service, otherTokens.access_token)).status, 200)
    assert.equal((await exchangeCode(service, updated, code)).body.error, 'invalid_grant')
    assert.equal((await exchangeCode(service, application, code)).body.error, 'invalid_client')
    const newTokens = await tokensFor(service, member, updated)
    assert.equal((await userinfo(service, newTokens.access_token)).status, 200)
    assert.equal(service.log.join('').includes(updated.secret), false)
  },
)

eachService(
  'sign-in/secret-reset-revokes: tokens that are issued for the old secret during a reset are revoked',
  async (t, service) => {
    const { owner, member, application, path } = await createFixture(service)
    await codeFor(member, application)
    const issue = async () => exchangeCode(service, application, await codeFor(member, application))
    const { db } = service
    const transaction = db.transaction.bind(db)
    let issued: Promise<TestResponse> | undefined
    const { mock } = t.mock.method(db, 'transaction', <T>(work: (tx: Transaction) => Promise<T>) => {
      mock.restore()
      return transaction(async tx => {
        const result = await work(tx)
        issued = issue()
        // SQLite runs transactions one after the other.
        if (db.engine === 'postgres') await issued
        return result
      })
    })
    assert.equal((await owner.client.json('POST', `${path}/secret`)).status, 200)
    const reply = await issued
    assert.equal(reply?.status, db.engine === 'postgres' ? 200 : 401)
    assert.equal((await userinfo(service, reply?.body.access_token ?? '')).status, 401)
  },
)

eachService('POST /api/applications/:id/secret 404 for a public application', async (_t, service) => {
  const { owner } = await createFixture(service)
  const app = await makeApplication(owner, { type: 'public' })
  assert.equal((await owner.client.json('POST', `/api/applications/${app.id}/secret`)).status, 404)
})
