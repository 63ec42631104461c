import assert from 'node:assert/strict'
import { maxSecurityLogEntries } from '@gatehouse/protocol/limits'
import type { SecurityLogEntry } from '@gatehouse/protocol/security-log'
import { createServer, register as registerUser } from '@gatehouse/testkit/community'
import { eachService, type TestClient, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { codeFor, makeApplication } from '../../oauth/oauth-testing.ts'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  createTicket,
  factorsPath,
} from '../second-factor/second-factor-testing.ts'
import { mailToken, password, register, registerVerified } from '../users/users-testing.ts'
import { createSecurityLog } from './security-log.ts'

const path = '/api/users/@me/security-log'
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/146.0'

async function kinds(client: TestClient): Promise<string[]> {
  const { body } = await client.get(path)
  return body.map(({ kind }: SecurityLogEntry) => kind)
}

/** The lines of the log of the service. */
function securityLines(service: TestService): Record<string, unknown>[] {
  return service.log.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'security event')
}

function logIn(service: TestService, login: string, secret: string) {
  return service
    .client()
    .json('POST', '/api/auth/login', { login, password: secret }, { 'user-agent': userAgent })
}

eachService(
  'a sign-in and a failed one are in the log of the user and of the service (sign-in/security-log)',
  async (_t, service) => {
    const client = service.client()
    const { body: ada } = await register(client, 'ada')
    await register(service.client(), 'bob')
    assert.equal((await logIn(service, 'ada', password)).status, 200)
    service.clock.advance(1000)
    assert.equal((await logIn(service, 'ada', 'wrong horse')).status, 401)
    await waitUntil(async () => (await kinds(client)).length === 2, 'the failed sign-in is not recorded')
    const { status, body } = await client.get(path)
    assert.equal(status, 200)
    assert.deepEqual(
      body.map(({ id, ...entry }: SecurityLogEntry) => entry),
      [
        {
          kind: 'SIGN_IN_FAILED',
          applicationId: null,
          targetName: null,
          ip: '127.0.0.1',
          userAgent,
          createdAt: new Date(service.clock.now()).toISOString(),
        },
        {
          kind: 'SIGN_IN',
          applicationId: null,
          targetName: null,
          ip: '127.0.0.1',
          userAgent,
          createdAt: new Date(service.clock.now() - 1000).toISOString(),
        },
      ],
    )
    const lines = securityLines(service).map(({ level, userId, kind, ip }) => ({ level, userId, kind, ip }))
    const line = { level: 30, userId: ada.id, ip: '127.0.0.1' }
    assert.deepEqual(lines, [
      { ...line, kind: 'SIGN_IN' },
      { ...line, kind: 'SIGN_IN_FAILED' },
    ])
  },
)

eachService(
  'a sign-in with an unknown name is one line without the name (sign-in/security-log)',
  async (_t, service) => {
    await logIn(service, 'my secret password', 'wrong horse')
    await logIn(service, 'secret@password.example', 'wrong horse')
    await waitUntil(() => securityLines(service).length === 2, 'the sign-ins are not logged')
    for (const { time, ...line } of securityLines(service)) {
      assert.deepEqual(line, { level: 30, kind: 'SIGN_IN_FAILED', ip: '127.0.0.1', msg: 'security event' })
    }
    assert.ok(!service.log.join('').includes('secret'))
    assert.deepEqual(await service.db.all`SELECT id FROM security_log`, [])
  },
)

eachService(
  'a sign-in that is rejected by the limit of wrong passwords is not recorded (sign-in/security-log)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    for (let i = 0; i < 10; i++) assert.equal((await logIn(service, 'ada', 'wrong horse')).status, 401)
    assert.equal((await logIn(service, 'ada', 'wrong horse')).status, 429)
    await waitUntil(async () => (await kinds(client)).length >= 10, 'the failed sign-ins are not recorded')
    assert.equal((await kinds(client)).length, 10)
    assert.equal(securityLines(service).length, 10)
  },
)

eachService(
  'each change of password, address and factors is recorded (sign-in/security-log)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const ada = 'ada@example.org'
    const { recoveryCodes } = await addTotp(service, client)
    assert.deepEqual(await kinds(client), ['RECOVERY_CODES_CREATE', 'TOTP_ENABLE'])
    const { body: passkey } = await addPasskey(service, client, createAuthenticator(service.url))
    await client.request('POST', `${factorsPath}/recovery-codes`, {})
    await client.request('DELETE', `${factorsPath}/passkeys/${passkey.id}`, {})
    assert.deepEqual((await kinds(client)).slice(0, 3), [
      'PASSKEY_REMOVE',
      'RECOVERY_CODES_CREATE',
      'PASSKEY_ADD',
    ])
    const ticket = await createTicket(client, 'ada')
    const wrong = await client.json('POST', '/api/auth/login/second-factor', { ticket, code: '000000' })
    assert.equal(wrong.status, 401)
    await client.request('DELETE', `${factorsPath}/totp`, {})
    assert.deepEqual((await kinds(client)).slice(0, 2), ['TOTP_DISABLE', 'SIGN_IN_FAILED'])
    const changes = { email: 'countess@example.org', currentPassword: password }
    await client.request('PATCH', '/api/users/@me', changes)
    const token = await mailToken(service, 'countess@example.org', 1)
    await client.request('POST', '/api/auth/email/verify', { token })
    const newPassword = { password: 'a new correct horse', currentPassword: password }
    await client.request('PATCH', '/api/users/@me', newPassword)
    await logIn(service, 'ada', 'a new correct horse')
    const sessions = await client.request<{ id: string; current: boolean }[]>(
      'GET',
      '/api/users/@me/sessions',
    )
    const other = sessions.find(({ current }) => !current)
    await client.request('DELETE', `/api/users/@me/sessions/${other?.id}`)
    await client.request('DELETE', '/api/users/@me/sessions', {})
    assert.deepEqual((await kinds(client)).slice(0, 5), [
      'SIGN_OUT_ALL',
      'SESSION_REVOKE',
      'SIGN_IN',
      'PASSWORD_CHANGE',
      'EMAIL_CHANGE',
    ])
    await client.request('POST', '/api/auth/password/forgot', { email: 'countess@example.org' })
    const reset = { token: await mailToken(service, 'countess@example.org', 4), password: 'third horse' }
    await client.request('POST', '/api/auth/password/reset', reset)
    await client.json('POST', '/api/auth/login', { login: 'ada', password: 'third horse' })
    assert.deepEqual((await kinds(client)).slice(0, 2), ['SIGN_IN', 'PASSWORD_RESET'])
    const secrets = ['third horse', 'a new correct horse', ada, 'countess@example.org', ...recoveryCodes]
    for (const line of securityLines(service).map(line => JSON.stringify(line)))
      for (const secret of secrets) assert.ok(!line.includes(secret), line)
  },
)

eachService(
  'an authorization has its application, a ban its server and no address of the moderator (sign-in/security-log)',
  async (_t, service) => {
    const [ada, ben] = [await registerUser(service, 'ada'), await registerUser(service, 'ben')]
    const application = await makeApplication(ada, { name: 'Wiki' })
    await codeFor(ben, application)
    const { server } = await createServer(ada, ben)
    for (const reason of ['Spam', 'More spam']) {
      await ada.client.request('PUT', `/api/servers/${server.id}/bans/${ben.id}`, { reason })
    }
    const { body } = await ben.client.get(path)
    const shown = body.map(({ kind, applicationId, targetName, ip }: SecurityLogEntry) => [
      ...[kind, applicationId, targetName, ip],
    ])
    assert.deepEqual(shown, [
      ['BAN', null, 'Server', null],
      ['APPLICATION_AUTHORIZE', application.id, 'Wiki', '127.0.0.1'],
    ])
    const authorized = securityLines(service).find(({ kind }) => kind === 'APPLICATION_AUTHORIZE')
    assert.deepEqual([authorized?.userId, authorized?.applicationId], [ben.id, application.id])
    assert.deepEqual(await kinds(ada.client), [])
  },
)

eachService('the pages go back with `before` (sign-in/security-log)', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  for (let i = 0; i < 3; i++) await logIn(service, 'ada', password)
  const { body: all } = await client.get(path)
  const { body: first } = await client.get(`${path}?limit=2`)
  const { body: second } = await client.get(`${path}?limit=2&before=${first[1].id}`)
  assert.deepEqual([...first, ...second], all)
  assert.equal((await client.get(`${path}?before=x`)).status, 400)
})

eachService(
  'the log keeps 50 entries of each kind for 90 days (sign-in/security-log)',
  async (_t, service) => {
    const { db, clock } = service
    const { id: userId, client } = await registerUser(service, 'ada')
    const ids = createSnowflakes({ clock: clock.now, node: 1 })
    const logger = { info: () => undefined }
    const securityLog = createSecurityLog({ db, clock: clock.now, ids, logger })
    await db.transaction(tx => securityLog.record(tx, { userId, kind: 'PASSWORD_RESET' }))
    clock.advance(1000)
    for (let i = 0; i < maxSecurityLogEntries + 2; i++) {
      await securityLog.recordFailedSignIn(userId, { ip: `192.0.2.${i}`, userAgent: '' })
    }
    const { body } = await client.get(`${path}?limit=100`)
    assert.deepEqual(
      [body.length, body[0].ip, body[0].userAgent, body.at(-2).ip, body.at(-1).kind],
      [maxSecurityLogEntries + 1, '192.0.2.51', null, '192.0.2.2', 'PASSWORD_RESET'],
    )
    clock.advance(90 * 86_400_000 - 999)
    await securityLog.sweep()
    assert.deepEqual(await db.all`SELECT id FROM security_log WHERE kind = 'PASSWORD_RESET'`, [])
    clock.advance(1000)
    await securityLog.sweep()
    assert.deepEqual(await db.all`SELECT id FROM security_log`, [])
  },
)
