import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { makeSecret, makeWebhookToken, secretPrefixes } from '../kit/secret.ts'
import { createLogger, redact } from './log.ts'

test('secrets are taken out wherever they stand in a line', () => {
  const secrets = [...Object.values(secretPrefixes).map(prefix => makeSecret(prefix)), makeWebhookToken()]
  const [token = '', , , bot = ''] = secrets
  const webhook = secrets.at(-1) ?? ''
  for (const line of [
    `{"msg":"token ${token} was used"}`,
    `{"url":"/api/webhooks/1234567890123456789/${webhook}?wait=true"}`,
    `{"url":"/api/v10/webhooks/1234567890123456789/${webhook}/messages/1"}`,
    `{"authorization":"Bot ${bot}"}`,
    `Authorization: Bearer ${token}`,
    `Authorization: Basic ${Buffer.from(`id:${token}`).toString('base64')}`,
    `grant_type=authorization_code&code=${token}&code_verifier=${'v'.repeat(43)}`,
  ]) {
    const written = redact(line)
    for (const secret of secrets) assert.equal(written.includes(secret), false, written)
    assert.equal(written.includes('v'.repeat(43)), false)
    assert.equal(written.includes(Buffer.from(`id:${token}`).toString('base64')), false)
  }
  assert.equal(redact('postgres://user:hunter2@db/x').includes('hunter2'), false)
})

test('what is no secret stays readable', () => {
  const line = '{"route":"/api/webhooks/:id/:token","status":204,"msg":"answered"}'
  assert.match(redact(line), /"status":204,"msg":"answered"/)
})

test('a logger writes nothing that was not redacted', () => {
  const lines: string[] = []
  const logger = createLogger(
    'info',
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    }),
  )
  const secret = makeSecret(secretPrefixes.accessToken)
  logger.info({ err: new Error(`it was ${secret}`), user: { password: 'hunter2' } }, `and ${secret}`)
  assert.equal(lines.length, 1)
  assert.equal(lines.join('').includes(secret), false)
  assert.equal(lines.join('').includes('hunter2'), false)
})
