import assert from 'node:assert/strict'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { mailToken } from '../accounts/users/users-testing.ts'
import { revokeGrants, revokeGrantsOfApplications } from './grant-revocation-store.ts'
import { sweepOAuth } from './oauth-sweep.ts'
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
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

const grants = 300

/** Grants that only the database knows. */
async function addGrants({ db }: TestService, user: TestUser, app: TestApplication): Promise<void> {
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${grants})
    INSERT INTO oauth_grants (id, application_id, user_id, scope, auth_time, amr, sid, code_hash, expires_at)
    SELECT CAST(${app.id} AS TEXT) || i, CAST(${app.id} AS TEXT), CAST(${user.id} AS TEXT), 'identify', 0, '[]', 's',
      'c' || i, 9000000000000 FROM n`
}

const revocations: Record<string, (user: TestUser, app: TestApplication) => Promise<number>> = {
  'a change of the password': async ({ client, password }) => {
    const body = { password: 'another horse battery', currentPassword: password }
    return (await client.json('PATCH', '/api/users/@me', body)).status
  },
  'a reset of the client secret': async ({ client }, app) => {
    const reply = await client.json('POST', `/api/applications/${app.id}/secret`)
    app.secret = reply.body.clientSecret
    return reply.status
  },
  'the withdrawal of a consent': async ({ client }, app) =>
    (await client.json('DELETE', `/api/users/@me/authorizations/${app.id}`)).status,
}

for (const [name, revoke] of Object.entries(revocations)) {
  eachService(
    `limits/deletion: ${name} revokes all grants at once, and the sweep deletes them in batches`,
    async (_t, service) => {
      const { db, clock } = service
      const [ada, ben] = [await signUp(service, 'ada'), await signUp(service, 'ben')]
      const [app, other] = [await makeApplication(ada), await makeApplication(ada)]
      const kept = await tokensFor(service, ben, other)
      const [code, codeForLater] = [await codeFor(ada, app), await codeFor(ada, app)]
      const first = await tokensFor(service, ada, app)
      const { body: tokens } = await refresh(service, app, first.refresh_token)
      await addGrants(service, ada, app)
      assert.ok((await revoke(ada, app)) < 300)

      assert.equal((await userinfo(service, tokens.access_token)).status, 401)
      const bearer = { authorization: `Bearer ${tokens.access_token}` }
      assert.equal((await service.client().get('/api/users/@me', bearer)).status, 401)
      const isActive = async (token: string) =>
        (await post(service, '/api/oauth2/introspect', { token }, basic(app.id, app.secret ?? ''))).body
          .active
      assert.deepEqual(
        [await isActive(tokens.access_token), await isActive(tokens.refresh_token)],
        [false, false],
      )
      for (const token of [tokens.refresh_token, first.refresh_token]) {
        assertError(await refresh(service, app, token), 400, 'invalid_grant')
      }
      assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
      const countGrants = async () => (await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM oauth_grants`)?.n
      assert.ok(((await countGrants()) ?? 0) > grants, 'the request has not deleted the rows')

      const later = await tokensFor(service, ada, app)
      assert.equal((await userinfo(service, later.access_token)).status, 200)
      const deleted: number[] = []
      const run = db.run.bind(db)
      db.run = async (...statement) => {
        const rows = await run(...statement)
        deleted.push(rows)
        return rows
      }
      const sweep = () => sweepOAuth({ db, clock: clock.now, refreshGraceSeconds: 0 }, 100)
      await sweep()
      assert.ok(Math.max(...deleted) <= 100, `${deleted}`)
      assert.equal(await countGrants(), 2)
      assertError(await exchangeCode(service, app, codeForLater), 400, 'invalid_grant')
      // The revocation is deleted too, and a later one takes effect nevertheless.
      clock.advance(60_001)
      await sweep()
      assert.equal(await db.get`SELECT 1 AS one FROM grant_revocations WHERE user_id >= ''`, undefined)
      assert.equal((await refresh(service, app, later.refresh_token)).status, 200)
      assert.equal((await userinfo(service, kept.access_token)).status, 200)
      const again = { ...ada, password: 'another horse battery' }
      assert.ok((await revoke(name.includes('password') ? again : ada, app)) < 300)
      assertError(await refresh(service, app, later.refresh_token), 400, 'invalid_grant')
      assert.equal((await userinfo(service, kept.access_token)).status, 200)
    },
  )
}

eachService(
  'limits/deletion: a reset that verifies the email address revokes all consents at once, ' +
    'and the sweep deletes them in batches',
  async (_t, service) => {
    const { db } = service
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await tokensFor(service, ada, app)
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${grants})
      INSERT INTO oauth_consents (user_id, application_id, scope, granted_at, last_used_at)
      SELECT CAST(${ada.id} AS TEXT), CAST(${app.id} AS TEXT), 'scope' || CAST(i AS TEXT), 0, 0 FROM n`
    const countRows = async () => (await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM oauth_consents`)?.n
    const anyone = service.client()
    await anyone.json('POST', '/api/auth/password/forgot', { email: ada.email })
    const token = await mailToken(service, ada.email, 2)
    const password = 'another horse battery'
    assert.equal((await anyone.json('POST', '/api/auth/password/reset', { token, password })).status, 204)
    assert.equal(await countRows(), grants + 1)
    await ada.client.json('POST', '/api/auth/login', { login: 'ada', password })
    assert.deepEqual((await ada.client.get('/api/users/@me/authorizations')).body, [])

    await tokensFor(service, ada, app)
    const list = async () => (await ada.client.get('/api/users/@me/authorizations')).body
    const given = await list()
    assert.deepEqual(
      given.map(({ scopes }: { scopes: string[] }) => scopes),
      [['identify']],
    )
    const deleted: number[] = []
    const run = db.run.bind(db)
    db.run = async (...statement) => {
      const rows = await run(...statement)
      deleted.push(rows)
      return rows
    }
    await sweepOAuth({ db, clock: service.clock.now, refreshGraceSeconds: 0 }, 100)
    assert.ok(Math.max(...deleted) <= 100, `${deleted}`)
    assert.equal(await countRows(), 1)
    assert.deepEqual(await list(), given)
  },
)

eachService(
  'limits/deletion: a revocation by a node whose clock is behind revokes what others have issued',
  async (_t, service) => {
    const { db } = service
    const [ada, ben] = [await signUp(service, 'ada'), await signUp(service, 'ben')]
    const [app, other] = [await makeApplication(ada), await makeApplication(ada)]
    const [ahead, behind] = ['8000000000000000000', '1000000000000000000']
    // The rows of other revocations about the grants of the user.
    await revokeGrants(db, { userId: ben.id }, ahead)
    for (const revoke of [
      () => revokeGrants(db, { userId: ben.id, applicationId: app.id }, behind),
      () => revokeGrants(db, { applicationId: app.id }, behind),
      () => revokeGrantsOfApplications(db, [app.id, other.id], ben.id, behind),
      () => revokeGrants(db, { userId: ben.id }, behind),
    ]) {
      const { access_token } = await tokensFor(service, ben, app)
      assert.equal((await userinfo(service, access_token)).status, 200)
      await revoke()
      assert.equal((await userinfo(service, access_token)).status, 401)
    }
  },
)
