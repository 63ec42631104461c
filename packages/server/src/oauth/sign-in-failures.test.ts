import assert from 'node:assert/strict'
import { maxFailuresPerWrite, maxSignInFailures } from '@gatehouse/protocol/limits'
import type { SignInFailure } from '@gatehouse/protocol/oauth'
import { register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createSecret } from '../kit/secret.ts'
import { sweepOAuth } from './oauth-sweep.ts'
import { codeFor, makeApplication, type TestApplication } from './oauth-testing.ts'

function requestToken(service: TestService, fields: Record<string, string>) {
  return service.client().send('/api/oauth2/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
}

async function listFailures(owner: TestUser, { id }: TestApplication): Promise<SignInFailure[]> {
  const reply = await owner.client.get(`/api/applications/${id}/sign-in-failures`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

/** The rows of the application, also those that the list does not show. */
function readRows(service: TestService): Promise<Record<string, unknown>[]> {
  return service.db.all`SELECT application_id, reason, count FROM sign_in_failures`
}

eachService(
  'each failure of the token endpoint is listed with the check, and without secrets (sign-in/failures)',
  async (_t, service) => {
    const [owner, user] = [await register(service, 'owner'), await register(service, 'user')]
    const application = await makeApplication(owner)
    const credentials = { client_id: application.id, client_secret: application.secret ?? '' }
    const code = await codeFor(user, application)
    const verifier = 'v'.repeat(43)
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: application.redirectUri }
    const secret = createSecret('gcs_')
    for (const [fields, error] of [
      [{ ...credentials, ...exchange, client_secret: secret }, 'invalid_client'],
      [{ ...credentials, ...exchange, redirect_uri: 'https://x.example/?code=1' }, 'invalid_grant'],
      [{ ...credentials, ...exchange, code_verifier: verifier }, 'invalid_grant'],
      [{ ...credentials, grant_type: 'password' }, 'unsupported_grant_type'],
    ] as const) {
      assert.equal((await requestToken(service, fields)).body.error, error)
      service.clock.advance(10)
    }
    const failures = await listFailures(owner, application)
    assert.deepEqual(
      failures.map(({ endpoint, error, reason, count }) => [endpoint, error, reason, count]),
      [
        [
          'token',
          'unsupported_grant_type',
          'The grant_type must be one of authorization_code, refresh_token.',
          1,
        ],
        ['token', 'invalid_grant', 'The authorization request had no code_challenge.', 1],
        ['token', 'invalid_grant', 'The redirect_uri differs from that of the authorization request.', 1],
        ['token', 'invalid_client', 'Client authentication failed. Reason: wrong client secret.', 1],
      ],
    )
    const text = JSON.stringify(failures)
    for (const hidden of [secret, application.secret, code, verifier, user.id, '127.0.0.1']) {
      assert.ok(!text.includes(String(hidden)))
    }
    const other = await user.client.get(`/api/applications/${application.id}/sign-in-failures`)
    assert.equal(other.status, 404)
  },
)

eachService(
  'failures of the authorization endpoint are listed, a URI without its query (sign-in/failures)',
  async (_t, service) => {
    const [owner, user] = [await register(service, 'owner'), await register(service, 'user')]
    const application = await makeApplication(owner)
    const authorize = (fields: Record<string, string>) =>
      user.client.get(`/oauth2/authorize?${new URLSearchParams({ client_id: application.id, ...fields })}`)
    const uri = 'https://evil.example/\u202e<b>?code=gac_secret&token=x#y'
    assert.equal(
      (await authorize({ redirect_uri: uri, response_type: 'code', scope: 'identify' })).status,
      400,
    )
    service.clock.advance(10)
    await authorize({ response_type: 'token', scope: 'identify' })
    service.clock.advance(10)
    await authorize({ response_type: 'code', scope: 'identify', prompt: 'none' })
    const failures = await listFailures(owner, application)
    assert.deepEqual(
      failures.map(({ endpoint, error }) => [endpoint, error]),
      [
        ['authorization', 'consent_required'],
        ['authorization', 'unsupported_response_type'],
        ['authorization', 'invalid_request'],
      ],
    )
    assert.match(failures[2]?.reason ?? '', /https:\/\/evil\.example\/%E2%80%AE<b>\?…$/)
    const long = `https://evil.example/${'x'.repeat(2000)}`
    await authorize({ redirect_uri: long, response_type: 'code', scope: 'identify' })
    const [last] = await listFailures(owner, application)
    assert.ok((last?.reason.length ?? 0) <= 400)
  },
)

eachService(
  'the same failure is one entry with a count, and a new one after an hour (sign-in/failures)',
  async (_t, service) => {
    const owner = await register(service, 'owner')
    const application = await makeApplication(owner)
    const fail = () => requestToken(service, { client_id: application.id, grant_type: 'x' })
    for (let i = 0; i < 3; i++) await fail()
    await listFailures(owner, application)
    service.clock.advance(60_000)
    await fail()
    const [entry, ...others] = await listFailures(owner, application)
    assert.deepEqual([entry?.count, others.length], [4, 0])
    assert.equal(Date.parse(entry?.lastAt ?? '') - Date.parse(entry?.createdAt ?? ''), 60_000)
    service.clock.advance(3_600_000)
    await fail()
    assert.deepEqual(
      (await listFailures(owner, application)).map(({ count }) => count),
      [1, 4],
    )
  },
)

eachService(
  'a flood of failures causes few writes, and none for an unknown client (sign-in/failures)',
  async (_t, service) => {
    const owner = await register(service, 'owner')
    const application = await makeApplication(owner)
    const fail = (id: string, uri: string) =>
      owner.client.get(`/oauth2/authorize?client_id=${id}&redirect_uri=${encodeURIComponent(uri)}`)
    for (let i = 0; i < 2 * maxFailuresPerWrite; i++) {
      await fail(application.id, `https://evil.example/${i}`)
      await fail(`${BigInt(application.id) + 1n + BigInt(i)}`, 'https://evil.example/')
    }
    assert.deepEqual(await readRows(service), [])
    await listFailures(owner, application)
    const rows = await readRows(service)
    assert.equal(rows.length, maxFailuresPerWrite)
    for (let i = 0; i < maxSignInFailures; i += maxFailuresPerWrite) {
      service.clock.advance(1)
      for (let j = 0; j < maxFailuresPerWrite; j++) await fail(application.id, `https://x.example/${i + j}`)
      await listFailures(owner, application)
    }
    const failures = await listFailures(owner, application)
    assert.equal((await readRows(service)).length, maxSignInFailures)
    assert.ok(failures.every(({ reason }) => reason.includes('https://x.example/')))
  },
)

eachService(
  'failures are deleted after 7 days, and with the application (sign-in/failures, limits/deletion)',
  async (_t, service) => {
    const owner = await register(service, 'owner')
    const [old, deleted] = [await makeApplication(owner), await makeApplication(owner)]
    for (const { id } of [old, deleted]) await requestToken(service, { client_id: id, grant_type: 'x' })
    for (const application of [old, deleted]) await listFailures(owner, application)
    assert.equal((await readRows(service)).length, 2)
    await owner.client.request('DELETE', `/api/applications/${deleted.id}`)
    service.clock.advance(60_000)
    await waitUntil(async () => (await readRows(service)).length === 1)
    assert.deepEqual(
      (await readRows(service)).map(({ applicationId }) => applicationId),
      [old.id],
    )
    const { db, clock } = service
    const sweep = () => sweepOAuth({ db, clock: clock.now, refreshGraceSeconds: 0 })
    clock.advance(7 * 86_400_000 - 60_000)
    await sweep()
    assert.equal((await readRows(service)).length, 1)
    clock.advance(1)
    await sweep()
    assert.deepEqual(await readRows(service), [])
  },
)
