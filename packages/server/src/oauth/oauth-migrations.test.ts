import assert from 'node:assert/strict'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { migrate } from '../storage/migrate.ts'
import {
  assertError,
  authorizePath,
  codeFor,
  exchangeCode,
  makeApplication,
  parametersOf,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

const byId = '0013-tokens-by-id'
const codesAsGrants = '0014-codes-as-grants'

const lifetimes = '0018-lifetimes'
const usedTokens = '0026-grant-columns'
const revocations = '0027-grant-revocations'

/** The views would prevent changes of their tables. */
async function undoRevocations({ db }: TestService): Promise<void> {
  await db.run`DROP VIEW valid_grants`
  await db.run`DROP VIEW valid_consents`
  await db.run`DROP TABLE grant_revocations`
  await db.run`ALTER TABLE oauth_consents DROP COLUMN revocation`
  await db.run`DELETE FROM migrations WHERE name = ${revocations}`
}

/** Makes the migrations run again. They do not fail on their own results. */
async function undo(service: TestService): Promise<void> {
  await undoRevocations(service)
  const { db } = service
  await db.run`CREATE TABLE oauth_codes (id TEXT PRIMARY KEY)`
  await db.run`ALTER TABLE oauth_grants DROP COLUMN ends_at`
  await db.run`
    DELETE FROM migrations WHERE name IN (${byId}, ${codesAsGrants}, ${lifetimes}, ${usedTokens})`
}

eachService('the migration to tokens with ids deletes tokens and keeps consents', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const before = await tokensFor(service, ada, app)
  await undo(service)
  await service.restart()
  assert.equal((await userinfo(service, before.access_token)).status, 401)
  assertError(await refresh(service, app, before.refresh_token), 400, 'invalid_grant')
  // The consent page is skipped.
  const { code } = parametersOf(await ada.client.get(authorizePath(app)))
  const after = (await exchangeCode(service, app, code ?? '')).body
  assert.equal((await userinfo(service, after.access_token)).status, 200)
})

eachService('codes and tokens remain valid after the migration to one row per grant', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const [valid, invalidated, code] = [
    await codeFor(ada, app),
    await codeFor(ada, app),
    await codeFor(ada, app),
  ]
  const first = (await exchangeCode(service, app, code)).body
  const second = (await refresh(service, app, first.refresh_token)).body
  const other = await tokensFor(service, ada, app)
  await restoreOldTables(service)
  assert.deepEqual(await migrate(service.config.databaseUrl), [
    codesAsGrants,
    lifetimes,
    usedTokens,
    revocations,
  ])

  await service.restart()
  assert.equal((await exchangeCode(service, app, valid)).status, 200)
  assert.equal((await userinfo(service, second.access_token)).status, 200)
  assertError(await refresh(service, app, first.refresh_token), 400, 'invalid_grant')
  assert.equal(
    (await userinfo(service, second.access_token)).status,
    401,
    'the reuse revoked the token family',
  )
  assert.equal((await refresh(service, app, other.refresh_token)).status, 200)
  await ada.client.json('POST', '/api/auth/logout')
  assertError(await exchangeCode(service, app, invalidated), 400, 'invalid_grant')
})

/** Moves the rows back into the three tables that existed before the migration. */
async function restoreOldTables(service: TestService): Promise<void> {
  const { db } = service
  await db.run`CREATE TABLE kept_grants AS SELECT * FROM oauth_grants`
  await db.run`CREATE TABLE kept_used AS SELECT * FROM oauth_used_refresh_tokens`
  await undo(service)
  await db.run`INSERT INTO migrations (name, applied_at) VALUES (${codesAsGrants}, 0)`
  await db.run`INSERT INTO migrations (name, applied_at) VALUES (${lifetimes}, 0)`
  await db.run`INSERT INTO migrations (name, applied_at) VALUES (${usedTokens}, 0)`
  await db.run`INSERT INTO migrations (name, applied_at) VALUES (${revocations}, 0)`
  assert.deepEqual(await migrate(service.config.databaseUrl), [byId])
  await db.run`DELETE FROM migrations WHERE name IN (${codesAsGrants}, ${lifetimes}, ${usedTokens}, ${revocations})`
  await db.run`
    INSERT INTO oauth_codes (id, hash, application_id, user_id, scope, redirect_uri, redirect_uri_sent, code_challenge,
      nonce, auth_time, amr, session_id, expires_at)
    SELECT id, code_hash, application_id, user_id, scope, redirect_uri, redirect_uri_sent, code_challenge, nonce,
      auth_time, amr, session_id, expires_at FROM kept_grants WHERE refresh_hash IS NULL`
  await db.run`
    INSERT INTO oauth_grants (id, application_id, user_id, code_hash, scope, auth_time, amr, sid, access_hash,
      access_scope, access_expires_at, refresh_hash, issued_at, expires_at)
    SELECT id, application_id, user_id, code_hash, scope, auth_time, amr, sid, access_hash, access_scope,
      access_expires_at, refresh_hash, issued_at, expires_at FROM kept_grants WHERE refresh_hash IS NOT NULL`
  await db.run`
    INSERT INTO oauth_used_refresh_tokens (grant_id, hash, used_at, expires_at, successor)
    SELECT grant_id, hash, used_at, expires_at, successor FROM kept_used`
  await db.run`DROP TABLE kept_grants`
  await db.run`DROP TABLE kept_used`
}

eachService('the migration of used refresh tokens keeps the 100 newest of a grant', async (_t, service) => {
  const { db, clock } = service
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const first = await tokensFor(service, ada, app)
  const { body: second } = await refresh(service, app, first.refresh_token)
  await undoRevocations(service)
  await db.run`DROP INDEX oauth_used_refresh_tokens_by_slot`
  await db.run`ALTER TABLE oauth_used_refresh_tokens DROP COLUMN slot`
  await db.run`ALTER TABLE oauth_grants DROP COLUMN refreshes`
  await db.run`ALTER TABLE oauth_grants DROP COLUMN revocation`
  await db.run`DELETE FROM migrations WHERE name = ${usedTokens}`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO oauth_used_refresh_tokens (grant_id, hash, used_at, expires_at)
    SELECT g.id, 'older ' || CAST(n.i AS TEXT), CAST(${clock.now()} AS BIGINT) - n.i, g.expires_at FROM oauth_grants g CROSS JOIN n`
  assert.deepEqual(await migrate(service.config.databaseUrl), [usedTokens, revocations])
  const kept = () =>
    service.db.get`SELECT COUNT(*) AS n, MIN(used_at) AS oldest FROM oauth_used_refresh_tokens`
  assert.deepEqual(await kept(), { n: 100, oldest: clock.now() - 99 })
  await service.restart()
  const { body: third } = await refresh(service, app, second.refresh_token)
  assert.deepEqual(await kept(), { n: 100, oldest: clock.now() - 98 })
  assertError(await refresh(service, app, first.refresh_token), 400, 'invalid_grant')
  assert.equal((await userinfo(service, third.access_token)).status, 401)
})

eachService(
  'the migration of the lifetimes counts from the last sign-in, and from the authorization of a grant',
  async (_t, service) => {
    const day = 24 * 60 * 60_000
    const { db, clock } = service
    const [ada, bob] = [await signUp(service, 'ada'), await signUp(service, 'bob')]
    const app = await makeApplication(ada)
    await codeFor(bob, app)
    const tokens = await tokensFor(service, ada, app)
    const start = clock.now()
    const late = start + 400 * day
    await undoRevocations(service)
    await db.run`ALTER TABLE oauth_grants DROP COLUMN ends_at`
    await db.run`DELETE FROM migrations WHERE name = ${lifetimes}`
    await db.run`UPDATE sessions SET expires_at = ${late} WHERE user_id = ${ada.id}`
    await db.run`UPDATE oauth_grants SET expires_at = ${late} WHERE user_id = ${ada.id}`
    assert.deepEqual(await migrate(service.config.databaseUrl), [lifetimes, revocations])
    const sessions = await db.all`SELECT user_id, expires_at FROM sessions ORDER BY user_id`
    assert.deepEqual(sessions, [
      { userId: ada.id, expiresAt: start + 90 * day },
      { userId: bob.id, expiresAt: start + 30 * day },
    ])
    const grants = await db.all`SELECT user_id, expires_at, ends_at FROM oauth_grants ORDER BY user_id`
    assert.deepEqual(grants, [
      { userId: ada.id, expiresAt: start + 365 * day, endsAt: start + 365 * day },
      { userId: bob.id, expiresAt: start + 5 * 60_000, endsAt: null },
    ])
    await service.restart()
    assert.equal((await userinfo(service, tokens.access_token)).status, 200)
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200)
  },
)
