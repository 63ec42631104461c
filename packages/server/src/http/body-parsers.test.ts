import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { sendLateBody } from '@gatehouse/testkit/late-body'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'

/** Sends a request whose body is shorter than its Content-Length, and resolves to the response data. */
async function sendHalf(
  t: TestContext,
  service: TestService,
  path: string,
  head: string,
): Promise<{ closed: Promise<string> }> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  let answer = ''
  socket.setEncoding('utf8').on('data', chunk => {
    answer += chunk
  })
  const closed = new Promise<string>((resolve, reject) => {
    socket.once('close', () => resolve(answer)).once('error', reject)
  })
  await new Promise<void>(resolve => socket.once('connect', resolve))
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${head}`)
  // Its response proves that the header above was read, because connections are read in order.
  for (let turn = 0; turn < 3; turn++) await service.client().get('/healthz')
  return { closed }
}

const half = 'Content-Length: 100\r\n\r\n{"login":'
const chunked = 'Transfer-Encoding: chunked\r\n\r\n9\r\n{"login":\r\n'

for (const [what, head] of [
  ['of a length', half],
  ['in chunks', chunked],
] as const) {
  test(`a body ${what} that is not complete within 30 s is 408 (webhooks/bodies)`, async t => {
    const service = await startService(t)
    let answer: string | undefined
    const answered = (await sendHalf(t, service, '/api/auth/login', head)).closed.then(text => {
      answer = text
    })
    service.clock.advance(29_999)
    await service.client().get('/healthz')
    assert.equal(answer, undefined)
    service.clock.advance(1)
    await answered
    assert.match(answer ?? '', /^HTTP\/1\.1 408 /)
    assert.match(answer ?? '', /\r\nconnection: close\r\n/i)
    assert.match(answer ?? '', /\r\n\r\n\{"code":"request_timeout","message":"[^"]+"\}$/)
  })
}

test('the 408 of a webhook has its error format', async t => {
  const service = await startService(t)
  const { client } = await register(service, 'ana')
  const server = (await client.json('POST', '/api/servers', { name: 'Server' })).body
  const [channel] = (await client.get(`/api/servers/${server.id}/channels`)).body
  const webhook = (await client.json('POST', `/api/channels/${channel.id}/webhooks`, { name: 'Hook' })).body
  const { closed } = await sendHalf(t, service, new URL(webhook.url).pathname, half)
  service.clock.advance(30_000)
  assert.match(await closed, /^HTTP\/1\.1 408 [\s\S]*\{"code":\d+,"message":"[^"]+"\}$/)
})

test('the timeout does not affect a request that has its response already', async t => {
  const service = await startService(t)
  const large = `Content-Length: ${2 * 1024 * 1024}\r\n\r\n{`
  const { closed } = await sendHalf(t, service, '/api/auth/login', large)
  assert.match(await closed, /^HTTP\/1\.1 413 /)
  service.clock.advance(60_000)
  assert.equal((await service.client().get('/healthz')).status, 200)
})

eachService(
  'a request whose session or bot token ended while its body arrived is 401 and changes nothing',
  async (_t, service) => {
    const ana = await register(service, 'ana')
    const { server, general } = await createServer(ana)
    const bot = await createBotApplication(ana.client)
    await addBot(ana.client, bot.applicationId, server.id, Permission.MANAGE_CHANNELS)
    const rename = { method: 'PATCH', path: `/api/channels/${general.id}` }
    const asBot = { ...rename, headers: { authorization: `Bot ${bot.token}` } }
    const readName = async () => (await service.db.get<{ name: string }>`SELECT name FROM channels`)?.name

    const inTime = await sendLateBody(service.client(), asBot, { name: 'first' }, readName)
    assert.equal(inTime.status, 200, inTime.text)
    const tokenReset = await sendLateBody(service.client(), asBot, { name: 'second' }, () =>
      ana.client.request('POST', `/api/applications/${bot.applicationId}/bot/token`),
    )
    assert.equal(tokenReset.status, 401, tokenReset.text)
    const signedOut = await sendLateBody(ana.client, rename, { name: 'third' }, () =>
      ana.client.request('POST', '/api/auth/logout'),
    )
    assert.equal(signedOut.status, 401, signedOut.text)
    assert.equal(await readName(), 'first')
  },
)
