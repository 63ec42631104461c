import assert from 'node:assert/strict'
import { maxKnownDevices } from '@gatehouse/protocol/limits'
import { eachService, type TestClient } from '@gatehouse/testkit/service'
import {
  addPasskey,
  createAuthenticator,
  readPasskeyOptions,
} from '../second-factor/second-factor-testing.ts'
import { createKnownDevices } from './known-devices.ts'
import {
  hiddenFields,
  mailSubjects,
  mailsTo,
  mailToken,
  password,
  register,
  registerVerified,
} from './users-testing.ts'

const ada = 'ada@example.org'
const subject = 'New sign-in to your account'
const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/146.0' }

function logIn(client: TestClient, headers: Record<string, string> = firefox) {
  return client.json('POST', '/api/auth/login', { login: 'ada', password }, headers)
}

eachService(
  'a sign-in in a new browser sends one mail, with browser, address and time (sign-in/known-devices)',
  async (_t, service) => {
    await registerVerified(service, service.client(), 'ada')
    const client = service.client()
    assert.equal((await logIn(client)).status, 200)
    const mails = await mailsTo(service, ada, 2)
    assert.equal(mails[1]?.subject, subject)
    const text = mails[1]?.text ?? ''
    assert.match(text, /account ada in a browser/)
    assert.match(text, /^Firefox · Linux\nIP address 127\.0\.0\.1\n\d+ \w+ \d{4} at \d\d:\d\d UTC$/m)
    assert.ok(text.includes(`${service.url}/settings/security`))
    await client.json('POST', '/api/auth/logout')
    await logIn(client)
    await logIn(service.client(), { 'user-agent': 'Go to https://evil.example', 'accept-language': 'ru' })
    const [, , russian] = await mailsTo(service, ada, 3)
    assert.equal(russian?.subject, 'Новый вход в ваш аккаунт')
    assert.match(russian?.text ?? '', /Неизвестный браузер\nIP-адрес 127\.0\.0\.1/)
    assert.ok(!russian?.text.includes('evil'))
    assert.equal(service.mails.filter(mail => mail.subject === subject).length, 1)
  },
)

eachService(
  'the browser of the registration, and an unverified address, get no mail (sign-in/known-devices)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await logIn(service.client())
    await client.json('POST', '/api/auth/logout')
    await logIn(client)
    // This mail is sent after the others.
    await client.request('POST', '/api/auth/password/forgot', { email: ada })
    assert.deepEqual(await mailSubjects(service, ada, 2), ['Verify your email address', 'Set a new password'])
  },
)

eachService(
  'a sign-in by the pages with a passkey sends a mail too, once for the browser (sign-in/known-devices)',
  async (_t, service) => {
    const owner = service.client()
    await registerVerified(service, owner, 'ada')
    const authenticator = createAuthenticator(service.url)
    await addPasskey(service, owner, authenticator)
    const client = service.client()
    for (let i = 0; i < 2; i++) {
      const page = await client.get('/login')
      const passkey = JSON.stringify(authenticator.get(readPasskeyOptions(page)))
      const reply = await client.form('/login/passkey', { ...hiddenFields(page.text), passkey })
      assert.equal(reply.status, 303, reply.text)
      await client.json('POST', '/api/auth/logout')
    }
    await client.json('POST', '/api/auth/password/forgot', { email: ada })
    const sent = (await mailSubjects(service, ada, 4)).toSorted()
    assert.deepEqual(
      sent,
      [subject, 'Set a new password', 'Verify your email address', 'A passkey was added'].toSorted(),
    )
  },
)

eachService(
  'the 21st device replaces the one that was used least recently (sign-in/known-devices)',
  async (_t, { db, clock, ...service }) => {
    const client = service.client()
    const { id } = (await register(client, 'ada')).body
    const devices = createKnownDevices({ db, clock: clock.now })
    const remember = (name: string) => {
      clock.advance(1000)
      return db.transaction(tx => devices.remember(tx, id, name))
    }
    for (let i = 1; i <= maxKnownDevices; i++) assert.equal(await remember(`device ${i}`), true)
    assert.equal(await remember('device 1'), false)
    assert.equal(await remember('device 21'), true)
    assert.equal(await devices.isKnown(id, 'device 1'), true)
    assert.equal(await devices.isKnown(id, 'device 2'), false)
    assert.equal(await devices.isKnown('1', 'device 1'), false)
    assert.equal((await db.all`SELECT 1 FROM known_devices`).length, maxKnownDevices)
  },
)

eachService(
  'a reset that verifies the email address for the first time forgets the devices (sign-in/reset-verifies-first)',
  async (_t, service) => {
    const { id } = (await register(service.client(), 'ada')).body
    const count = async () => (await service.db.all`SELECT 1 FROM known_devices WHERE user_id = ${id}`).length
    assert.equal(await count(), 1)
    const anyone = service.client()
    await anyone.request('POST', '/api/auth/password/forgot', { email: ada })
    const token = await mailToken(service, ada, 2)
    await anyone.request('POST', '/api/auth/password/reset', { token, password: 'another horse' })
    assert.equal(await count(), 0)
  },
)
