import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createSecret, createWebhookToken, secretPrefixes } from '../kit/secret.ts'
import { createLogger, redact } from './log.ts'

test('secrets are redacted anywhere in a line', () => {
  const secrets = [...Object.values(secretPrefixes).map(prefix => createSecret(prefix)), createWebhookToken()]
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

test('text without secrets is not changed', () => {
  const line = '{"route":"/api/webhooks/:id/:token","status":204,"msg":"answered"}'
  assert.match(redact(line), /"status":204,"msg":"answered"/)
})

test('a logger redacts everything that it writes', () => {
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
  const secret = createSecret(secretPrefixes.accessToken)
  logger.info({ err: new Error(`it was ${secret}`), user: { password: 'hunter2' } }, `and ${secret}`)
  assert.equal(lines.length, 1)
  assert.equal(lines.join('').includes(secret), false)
  assert.equal(lines.join('').includes('hunter2'), false)
})
