import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createTestClock } from '../kit/testing.ts'
import type { Mail } from './mailer.ts'
import { createSmtpMailer } from './smtp.ts'

const mail: Mail = {
  to: 'ada@example.org',
  userId: '1234567890123456789',
  subject: 'Grüße',
  text: 'Open http://localhost:3000/verify?token=gmt_0123456789',
}

interface Received {
  from: string
  to: string[]
  data: string
}

/** A mail server of a few lines. `answers` are given to the RCPT commands in turn; then all are accepted. */
async function openServer(t: TestContext, answers: string[] = [], greeting = '220 test ESMTP\r\n') {
  const received: Received[] = []
  const logins: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write(greeting)
    let current: Received = { from: '', to: [], data: '' }
    let inData = false
    let rest = ''
    socket.setEncoding('utf8').on('data', chunk => {
      rest += chunk
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        socket.write(inData ? dataLine(line) : command(line))
      }
    })
    function dataLine(line: string): string {
      if (line !== '.') {
        current.data += `${line}\n`
        return ''
      }
      inData = false
      received.push(current)
      current = { from: '', to: [], data: '' }
      return '250 taken\r\n'
    }
    function command(line: string): string {
      if (/^EHLO/.test(line)) return '250-test\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n'
      if (/^AUTH PLAIN /.test(line)) {
        logins.push(Buffer.from(line.slice(11), 'base64').toString())
        return '235 welcome\r\n'
      }
      if (/^MAIL FROM/.test(line)) {
        current.from = /<(.*?)>/.exec(line)?.[1] ?? ''
        return '250 ok\r\n'
      }
      if (/^RCPT TO/.test(line)) {
        const answer = answers.shift() ?? '250 ok'
        if (answer.startsWith('250')) current.to.push(/<(.*?)>/.exec(line)?.[1] ?? '')
        return `${answer}\r\n`
      }
      if (line === 'DATA') {
        inData = true
        return '354 go on\r\n'
      }
      return line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n'
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { received, logins, sockets, port, url: `smtp://127.0.0.1:${port}`, server }
}

function openMailer(
  t: TestContext,
  url: string,
  changes: Partial<Parameters<typeof createSmtpMailer>[0]> = {},
) {
  const lines: string[] = []
  let waiting: { count: number; resolve: () => void }[] = []
  const log = (level: string) => (fields: object, message: string) => {
    lines.push(JSON.stringify({ level, ...fields, message }))
    for (const { resolve } of waiting.filter(({ count }) => lines.length >= count)) resolve()
    waiting = waiting.filter(({ count }) => lines.length < count)
  }
  const logger = { info: log('info'), warn: log('warn'), error: log('error') }
  const mailer = createSmtpMailer({
    url,
    from: 'Gatehouse <gatehouse@example.org>',
    logger,
    retryMs: [0, 0],
    ...changes,
  })
  t.after(() => mailer.close())
  const logged = (count: number) =>
    lines.length >= count ? undefined : new Promise<void>(resolve => waiting.push({ count, resolve }))
  return { mailer, lines, logged }
}

function assertDiscreet(lines: string[]): void {
  for (const line of lines) assert.doesNotMatch(line, /ada@|example|Grüße|gmt_|secret/)
}

test('a mail arrives with sender, recipient, subject and text', async t => {
  const server = await openServer(t)
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  const [got] = server.received
  assert.deepEqual([got?.from, got?.to], ['gatehouse@example.org', ['ada@example.org']])
  assert.match(got?.data ?? '', /^From: Gatehouse <gatehouse@example.org>$/m)
  assert.match(got?.data ?? '', /^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=$/m)
  assert.match(got?.data ?? '', /verify\?token=/)
  assert.match(lines[0] ?? '', /"level":"info","userId":"1234567890123456789","attempts":1/)
  assertDiscreet(lines)
})

test('a mail with HTML has both forms', async t => {
  const server = await openServer(t)
  const { mailer, logged } = openMailer(t, server.url)
  await mailer.send({ ...mail, html: '<b>Open</b>' })
  await logged(1)
  assert.match(
    server.received[0]?.data ?? '',
    /multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html[\s\S]*<b>Open/,
  )
})

test('the credentials of the address are used', async t => {
  const server = await openServer(t)
  const { mailer, logged } = openMailer(t, `smtp://me:secret@127.0.0.1:${server.port}`)
  await mailer.send(mail)
  await logged(1)
  assert.deepEqual(server.logins, ['\0me\0secret'])
})

test('a refusal for good is not repeated, and logged without what the server said', async t => {
  const server = await openServer(t, ['550 no ada@example.org here'])
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":1,"code":"EENVELOPE","status":550/)
  assert.deepEqual(server.received, [])
  assertDiscreet(lines)
})

test('a refusal for now is repeated until it works', async t => {
  const server = await openServer(t, ['451 later', '421 later still'])
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  assert.equal(server.received.length, 1)
  assert.match(lines[0] ?? '', /"level":"info".*"attempts":3/)
})

test('after the last attempt the mail is given up', async t => {
  const server = await openServer(t, ['451 later', '451 later', '451 later'])
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":3.*"status":451/)
  assertDiscreet(lines)
})

test('where no server answers, the sender is not kept waiting and the log says it', async t => {
  const { server, url } = await openServer(t)
  server.close()
  await once(server, 'close')
  const { mailer, lines, logged } = openMailer(t, url)
  await mailer.send(mail)
  assert.deepEqual(lines, [])
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":3,"code":"ESOCKET|ECONNECTION|ECONNREFUSED/)
  assertDiscreet(lines)
})

test('a server that accepts the connection and says nothing is left', async t => {
  const server = await openServer(t, [], '')
  const { mailer, lines, logged } = openMailer(t, server.url, { timeoutMs: 40, retryMs: [] })
  await mailer.send(mail)
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":1,"code":"ETIMEDOUT"/)
})

test('a line break in an address or a subject starts no other header', async t => {
  const server = await openServer(t)
  const { mailer, logged } = openMailer(t, server.url)
  await mailer.send({ ...mail, subject: 'x\r\nBcc: eve@example.org' })
  await mailer.send({ ...mail, to: 'ada@example.org\r\nRCPT TO:<eve@example.org>' })
  await logged(2)
  for (const { to, data } of server.received) {
    assert.ok(!to.includes('eve@example.org'))
    assert.doesNotMatch(data, /^(Bcc|RCPT)/m)
  }
})

test('a comma in an address does not make two recipients', async t => {
  const server = await openServer(t)
  const { mailer, logged } = openMailer(t, server.url)
  await mailer.send({ ...mail, to: 'ada@example.org,eve@example.org' })
  await logged(1)
  assert.ok(server.received.every(({ to }) => to.length <= 1 && !to.includes('eve@example.org')))
})

test('closing ends a pause between attempts, and nothing is taken any more', async t => {
  const server = await openServer(t, ['451 later', '451 later'])
  const { timers } = createTestClock()
  const resting = Promise.withResolvers<void>()
  const watched: typeof timers = {
    after(ms, f) {
      resting.resolve()
      return timers.after(ms, f)
    },
  }
  const { mailer, lines } = openMailer(t, server.url, { timers: watched, retryMs: [3_600_000] })
  await mailer.send(mail)
  await resting.promise
  await mailer.close()
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":1.*given up/)
  await mailer.send(mail)
  assert.match(lines[1] ?? '', /not taken/)
  assertDiscreet(lines)
})

test('closing waits for a mail that is under way', async t => {
  const server = await openServer(t)
  const { mailer, lines } = openMailer(t, server.url)
  await mailer.send(mail)
  await mailer.close()
  assert.equal(server.received.length, 1)
  assert.match(lines[0] ?? '', /a mail was sent/)
})

test('beyond the number that may wait a mail is refused, and logged', async t => {
  const server = await openServer(t)
  const { mailer, lines, logged } = openMailer(t, server.url, { maxQueued: 2 })
  for (let i = 0; i < 3; i++) await mailer.send(mail)
  await logged(3)
  assert.match(lines[0] ?? '', /"level":"error".*"queued":2.*too many wait/)
  assert.equal(server.received.length, 2)
})
