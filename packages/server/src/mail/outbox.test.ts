import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createOutbox } from './outbox.ts'

async function open(t: TestContext) {
  const base = await mkdtemp(join(tmpdir(), 'gatehouse-outbox-'))
  t.after(() => rm(base, { recursive: true, force: true }))
  const folder = join(base, 'data', 'outbox')
  const clock = createTestClock()
  const lines: string[] = []
  const log = (level: string) => (fields: object, message: string) => {
    lines.push(JSON.stringify({ level, ...fields, message }))
  }
  const logger = { info: log('info'), warn: log('warn'), error: log('error') }
  const outbox = createOutbox({ folder, clock: clock.now, logger })
  const read = async () => {
    const names = (await readdir(folder)).toSorted()
    return Promise.all(names.map(async name => ({ name, text: await readFile(join(folder, name), 'utf8') })))
  }
  return { base, folder, clock, lines, outbox, read }
}

const link = 'http://localhost:3000/verify?token=gmt_0123456789'
const mail = {
  to: 'ada@example.org',
  userId: '1234567890123456789',
  subject: 'Grüße',
  text: `Open ${link}\n`,
}

test('writes the headers and the text without an encoding', async t => {
  const { outbox, read } = await open(t)
  await outbox.send(mail)
  const [file] = await read()
  const expected = [
    'Date: Thu, 15 Jan 2026 12:00:00 +0000',
    'To: ada@example.org',
    'Subject: Grüße',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    `Open ${link}`,
    '',
  ]
  assert.deepEqual(file?.text.split('\n'), expected)
})

test('writes a mail with HTML as multipart/alternative', async t => {
  const { outbox, read } = await open(t)
  await outbox.send({ ...mail, html: `<a href="${link}">Open</a>` })
  const text = (await read())[0]?.text ?? ''
  const boundary = /boundary="([0-9a-f]{32})"/.exec(text)?.[1] ?? 'none'
  const [head, plain, html, end] = text.split(`--${boundary}`)
  assert.match(head ?? '', /Content-Type: multipart\/alternative/)
  assert.match(plain ?? '', /text\/plain[\s\S]*Open http/)
  assert.match(html ?? '', /text\/html[\s\S]*<a href=/)
  assert.equal(end, '--\n')
})

test('creates folder and files that only the user of the process can read', async t => {
  const { outbox, folder, read } = await open(t)
  await outbox.send(mail)
  const [file] = await read()
  assert.equal((await stat(join(folder, file?.name ?? ''))).mode & 0o777, 0o600)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
})

test('file names sort by time, also within one millisecond', async t => {
  const { outbox, clock, read } = await open(t)
  for (let i = 0; i < 12; i++) {
    await outbox.send({ ...mail, subject: `mail ${i}` })
    if (i % 4 === 3) clock.advance(1)
  }
  const subjects = (await read()).map(file => /Subject: (.*)/.exec(file.text)?.[1])
  assert.deepEqual(
    subjects,
    Array.from({ length: 12 }, (_, i) => `mail ${i}`),
  )
})

test('a line break in an address or a subject does not inject a header', async t => {
  const { outbox, read } = await open(t)
  await outbox.send({ ...mail, to: 'a@b\r\nBcc: c@d', subject: 'x\nBcc: c@d' })
  assert.doesNotMatch((await read())[0]?.text ?? '', /^Bcc:/m)
})

test('logs the user id, and no email address, subject or token', async t => {
  const { outbox, lines } = await open(t)
  await outbox.send(mail)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"level":"info","userId":"1234567890123456789"/)
  assert.doesNotMatch(lines[0] ?? '', /ada@|example|Grüße|gmt_/)
})

test('logs a mail that cannot be written, and writes the next one', async t => {
  const { outbox, base, lines, read } = await open(t)
  await writeFile(join(base, 'data'), 'a file instead of a folder')
  await outbox.send(mail)
  assert.match(lines[0] ?? '', /"level":"error".*"code":"E/)
  assert.doesNotMatch(lines[0] ?? '', /ada@|example|Grüße|gmt_/)
  await rm(join(base, 'data'))
  await outbox.send(mail)
  assert.equal((await read()).length, 1)
})

test('close waits for the mails in progress', async t => {
  const { outbox, read } = await open(t)
  void outbox.send(mail)
  void outbox.send(mail)
  await outbox.close()
  const names = (await read()).map(file => file.name)
  assert.equal(names.length, 2)
  for (const name of names) assert.match(name, /^20260115T120000000Z-\d{6}-[0-9a-f]{8}\.eml$/)
})
