import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { encodeBotId, toDiscordToken } from '@gatehouse/protocol/bot-token'
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

test('a value is redacted if the name ends in code, token, secret, assertion, verifier or password', () => {
  const names = ['device_code', 'user_code', 'logout_token', 'accessToken', 'client_assertion']
  for (const name of [...names, 'new_client_secret', 'code_verifier', 'old_password']) {
    for (const line of [
      `POST /token?${name}=hunter%2B2&x=1`,
      `{"url":"/login?return_to=%2Fx%3F${name}%3Dhunter%2B2%26x%3D1"}`,
      `{"${name}":"hunter%2B2"}`,
      `{"msg":"{\\"${name}\\": \\"hunter%2B2\\"}"}`,
    ]) {
      const written = redact(line)
      assert.doesNotMatch(written, /hunter|B2/)
      assert.match(written, new RegExp(name))
      assert.equal(written.length, line.length + '[redacted]'.length - 'hunter%2B2'.length)
    }
  }
})

test('all parts of a bot token in the form of Discord are redacted (bots/discord-token)', () => {
  const [id, middle] = ['1461329068032000010', 'a-Z_09']
  const bot = createSecret(secretPrefixes.botToken)
  const token = toDiscordToken(id, bot).replace('AAAAAA', middle)
  for (const line of [
    `Bot ${token}`,
    `{"msg":"${token} was used"}`,
    `{"token":"${token}"}`,
    `?t=${token}&x=1`,
  ]) {
    const written = redact(line)
    for (const part of [encodeBotId(id), middle, bot]) assert.equal(written.includes(part), false, written)
  }
})

test('the code of an error is not redacted', () => {
  const line = '{"err":{"code":"ECONNREFUSED"},"statusCode":404,"token_type":"Bearer"}'
  assert.equal(redact(line), line)
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
