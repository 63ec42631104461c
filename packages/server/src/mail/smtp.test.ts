import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import type { Mail } from './mailer.ts'
import { createSmtpMailer, findSmtpProblem } from './smtp.ts'

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

/** A minimal SMTP server. `replies` are its replies to the first RCPT commands; it accepts the others. */
async function openServer(
  t: TestContext,
  replies: string[] = [],
  greeting = '220 test ESMTP\r\n',
  authReply = '235 authenticated',
) {
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
      return '250 accepted\r\n'
    }
    function command(line: string): string {
      if (/^EHLO/.test(line)) return '250-test\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n'
      if (/^AUTH PLAIN /.test(line)) {
        logins.push(Buffer.from(line.slice(11), 'base64').toString())
        return `${authReply}\r\n`
      }
      if (/^MAIL FROM/.test(line)) {
        current.from = /<(.*?)>/.exec(line)?.[1] ?? ''
        return '250 ok\r\n'
      }
      if (/^RCPT TO/.test(line)) {
        const reply = replies.shift() ?? '250 ok'
        if (reply.startsWith('250')) current.to.push(/<(.*?)>/.exec(line)?.[1] ?? '')
        return `${reply}\r\n`
      }
      if (line === 'DATA') {
        inData = true
        return '354 start mail input\r\n'
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

function assertNoPersonalData(lines: string[]): void {
  for (const line of lines) assert.doesNotMatch(line, /ada@|example|Grüße|gmt_|secret/)
}

test('sends a mail with sender, recipient, subject and text', async t => {
  const server = await openServer(t)
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  const [first] = server.received
  assert.deepEqual([first?.from, first?.to], ['gatehouse@example.org', ['ada@example.org']])
  assert.match(first?.data ?? '', /^From: Gatehouse <gatehouse@example.org>$/m)
  assert.match(first?.data ?? '', /^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=$/m)
  assert.match(first?.data ?? '', /verify\?token=/)
  assert.match(lines[0] ?? '', /"level":"info","userId":"1234567890123456789","attempts":1/)
  assertNoPersonalData(lines)
})

test('sends a mail with HTML as multipart/alternative', async t => {
  const server = await openServer(t)
  const { mailer, logged } = openMailer(t, server.url)
  await mailer.send({ ...mail, html: '<b>Open</b>' })
  await logged(1)
  assert.match(
    server.received[0]?.data ?? '',
    /multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html[\s\S]*<b>Open/,
  )
})

test('authenticates with the credentials of the URL', async t => {
  const server = await openServer(t)
  const { mailer, logged } = openMailer(t, `smtp://me:secret@127.0.0.1:${server.port}`)
  await mailer.send(mail)
  await logged(1)
  assert.deepEqual(server.logins, ['\0me\0secret'])
})

test('does not retry a permanent failure and does not log the response text', async t => {
  const server = await openServer(t, ['550 no ada@example.org here'])
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":1,"code":"EENVELOPE","status":550/)
  assert.deepEqual(server.received, [])
  assertNoPersonalData(lines)
})

test('retries a transient failure', async t => {
  const server = await openServer(t, ['451 later', '421 later still'])
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  assert.equal(server.received.length, 1)
  assert.match(lines[0] ?? '', /"level":"info".*"attempts":3/)
})

test('logs a failure after the last attempt', async t => {
  const server = await openServer(t, ['451 later', '451 later', '451 later'])
  const { mailer, lines, logged } = openMailer(t, server.url)
  await mailer.send(mail)
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":3.*"status":451/)
  assertNoPersonalData(lines)
})

test('send resolves before the delivery, and the log has the failed connection', async t => {
  const { server, url } = await openServer(t)
  server.close()
  await once(server, 'close')
  const { mailer, lines, logged } = openMailer(t, url)
  await mailer.send(mail)
  assert.deepEqual(lines, [])
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":3,"code":"ESOCKET|ECONNECTION|ECONNREFUSED/)
  assertNoPersonalData(lines)
})

test('closes a connection without a greeting after the timeout', async t => {
  const server = await openServer(t, [], '')
  const { mailer, lines, logged } = openMailer(t, server.url, { timeoutMs: 40, retryMs: [] })
  await mailer.send(mail)
  await logged(1)
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":1,"code":"ETIMEDOUT"/)
})

test('a line break in an address or a subject does not inject a header', async t => {
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

test('a comma in an address does not add a recipient', async t => {
  const server = await openServer(t)
  const { mailer, logged } = openMailer(t, server.url)
  await mailer.send({ ...mail, to: 'ada@example.org,eve@example.org' })
  await logged(1)
  assert.ok(server.received.every(({ to }) => to.length <= 1 && !to.includes('eve@example.org')))
})

test('close ends the delay before a retry, and send drops further mails', async t => {
  const server = await openServer(t, ['451 later', '451 later'])
  const { timers } = createTestClock()
  const waiting = Promise.withResolvers<void>()
  const observedTimers: typeof timers = {
    after(ms, f) {
      waiting.resolve()
      return timers.after(ms, f)
    },
  }
  const { mailer, lines } = openMailer(t, server.url, { timers: observedTimers, retryMs: [3_600_000] })
  await mailer.send(mail)
  await waiting.promise
  await mailer.close()
  assert.match(lines[0] ?? '', /"level":"error".*"attempts":1.*mail failed/)
  await mailer.send(mail)
  assert.match(lines[1] ?? '', /mail dropped: the mailer is closed/)
  assertNoPersonalData(lines)
})

test('close waits for a mail in progress', async t => {
  const server = await openServer(t)
  const { mailer, lines } = openMailer(t, server.url)
  await mailer.send(mail)
  await mailer.close()
  assert.equal(server.received.length, 1)
  assert.match(lines[0] ?? '', /mail sent/)
})

test('drops and logs a mail if the queue is full', async t => {
  const server = await openServer(t)
  const { mailer, lines, logged } = openMailer(t, server.url, { maxQueued: 2 })
  for (let i = 0; i < 3; i++) await mailer.send(mail)
  await logged(3)
  assert.match(lines[0] ?? '', /"level":"error".*"queued":2.*queue is full/)
  assert.equal(server.received.length, 2)
})

test('community/doctor: a check connects and authenticates, and says what failed without the password', async t => {
  const withUser = (url: string) => url.replace('//', '//ada:s3cret@')
  const server = await openServer(t)
  assert.equal(await findSmtpProblem(withUser(server.url)), undefined)
  assert.deepEqual([server.logins, server.received], [['\0ada\0s3cret'], []])

  const strict = await openServer(t, [], undefined, '535 wrong: s3cret')
  assert.equal(
    await findSmtpProblem(withUser(strict.url)),
    'The mail server rejects the user name or the password (EAUTH 535).',
  )
  const busy = await openServer(t, [], '421 s3cret\r\n')
  assert.equal(
    await findSmtpProblem(withUser(busy.url)),
    'The mail server rejects the connection (EPROTOCOL 421).',
  )
  const noTls = server.url.replace('smtp:', 'smtps:')
  assert.match(
    (await findSmtpProblem(withUser(noTls))) ?? '',
    /^The port of the mail server does not expect TLS at once \([A-Z]+\)\.$/,
  )
  const silent = await openServer(t, [], '')
  assert.match((await findSmtpProblem(silent.url, 50)) ?? '', / \(ETIMEDOUT\)\.$/)
})

test('deliver waits for the server, does not retry, and says what failed without names and addresses', async t => {
  const server = await openServer(t, ['250 ok', '450 no ada@example.org here'])
  const { mailer, lines } = openMailer(t, server.url)
  assert.equal(await mailer.deliver(mail), undefined)
  assert.equal(server.received.length, 1)
  assert.equal(
    await mailer.deliver(mail),
    'The mail server rejects the sender or the recipient (EENVELOPE 450).',
  )
  assert.equal(server.received.length, 1)
  assertNoPersonalData(lines)
  server.server.close()
  for (const socket of server.sockets) socket.destroy()
  const problem = await mailer.deliver(mail)
  assert.match(problem ?? '', /^The mail server is not reachable: [\w ]+ \([A-Z]+\)\.$/)
})
