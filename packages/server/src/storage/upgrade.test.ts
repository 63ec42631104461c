import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createClient } from '@gatehouse/testkit/client'
import { createTestClock } from '@gatehouse/testkit/clock'
import { type EngineName, engines, skipIfUnavailable } from '@gatehouse/testkit/databases'
import { freePort } from '@gatehouse/testkit/free-port'
import { PostgresClient } from '@gatehouse/testkit/postgres-client'
import { createDurableDatabase } from '@gatehouse/testkit/postgres-databases'
import { generate } from 'otplib'
import { compose } from '../compose.ts'
import { readConfig } from '../config.ts'
import { createLogger } from '../http/log.ts'
import { listPendingMigrations } from './migrate.ts'

// `upgrade/` contains databases that Gatehouse 0.1.0 wrote, one for each engine: users, a server, messages, a bot, a webhook, a
// picture, an authenticator app and a refresh token, made with its API. The JSON file has their secrets.

const fixtures = new URL('./upgrade/', import.meta.url)
const { secretKey, password, ...written } = JSON.parse(readFileSync(new URL('0.1.0.json', fixtures), 'utf8'))

/** Shortly after the databases were written. */
const upgradedAt = Date.UTC(2026, 10, 22, 22)

async function restore(t: TestContext, engine: EngineName, folder: string): Promise<string> {
  if (engine === 'sqlite') {
    const path = join(folder, 'gatehouse.db')
    writeFileSync(path, gunzipSync(readFileSync(new URL('0.1.0.sqlite.gz', fixtures))))
    return `sqlite:${path}`
  }
  const { url, drop } = await createDurableDatabase()
  t.after(drop)
  const client = new PostgresClient(url)
  await client.query(readFileSync(new URL('0.1.0.postgres.dump', fixtures), 'utf8'))
  await client.close()
  return url
}

for (const { name: engine } of engines) {
  test(`a database of 0.1.0 is upgraded with all that it contains (${engine})`, async t => {
    if (await skipIfUnavailable(t, engine)) return
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const databaseUrl = await restore(t, engine, folder)
    assert.ok((await listPendingMigrations(databaseUrl)).length >= 3)

    const port = await freePort()
    const url = `http://localhost:${port}`
    const env = { BASE_URL: url, PORT: String(port), SECRET_KEY: secretKey, DATABASE_URL: databaseUrl }
    const clock = createTestClock(upgradedAt)
    const service = await compose({ ...readConfig(env), dataDir: folder }, createLogger('silent'), {
      clock: clock.now,
      timers: clock.timers,
    })
    t.after(() => service.close())
    await service.listen()
    assert.deepEqual(await listPendingMigrations(databaseUrl), [])
    const { serverId, channelId, deploysId, webhookPath, avatarPath, totpSecret, ...secrets } =
      written[engine]

    const boris = createClient(url)
    await boris.request('POST', '/api/auth/login', { login: 'boris', password })
    const messages = await boris.request<{ content: string }[]>('GET', `/api/channels/${channelId}/messages`)
    assert.deepEqual(
      messages.map(message => message.content),
      ['Third message', 'Привет! 🎲', 'Welcome to **The Harbour**!'],
    )
    const sent = await boris.json('POST', `/api/channels/${channelId}/messages`, { content: 'Still here' })
    assert.equal(sent.status, 201, sent.text)
    const picture = await boris.get(avatarPath)
    assert.equal(picture.headers.get('content-type'), 'image/png')

    const ana = createClient(url)
    const { status, body } = await ana.json('POST', '/api/auth/login', { login: 'ana', password })
    assert.deepEqual([status, body.code], [401, 'second_factor_required'])
    const code = await generate({ secret: totpSecret, epoch: upgradedAt / 1000 })
    const signedIn = await ana.json('POST', '/api/auth/login/second-factor', { ticket: body.ticket, code })
    assert.equal(signedIn.status, 200, signedIn.text)
    const channels = await ana.request<{ name: string }[]>('GET', `/api/servers/${serverId}/channels`)
    assert.deepEqual(channels.map(channel => channel.name).toSorted(), ['deploys', 'general'])
    const created = await ana.json('POST', `/api/servers/${serverId}/channels`, { name: 'after' })
    assert.equal(created.status, 201, created.text)

    const posted = await createClient(url).json('POST', webhookPath, { content: 'Deployed again' })
    assert.equal(posted.status, 204, posted.text)
    const deploys = await ana.request<{ content: string; embeds: { title: string }[] }[]>(
      'GET',
      `/api/channels/${deploysId}/messages`,
    )
    assert.deepEqual(
      deploys.map(message => message.content),
      ['Deployed again', 'It is deployed.'],
    )
    assert.equal(deploys[1]?.embeds[0]?.title, 'Build 42')

    const authorization = `Bot ${secrets.botToken}`
    const commands = await createClient(url).get('/api/applications/@me/commands', { authorization })
    assert.deepEqual(
      commands.body.map((command: { name: string }) => command.name),
      ['roll'],
    )
    const refreshed = await createClient(url).form('/api/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: secrets.refreshToken,
      client_id: secrets.applicationId,
      client_secret: secrets.clientSecret,
    })
    assert.equal(refreshed.status, 200, refreshed.text)
  })
}
