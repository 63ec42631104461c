import assert from 'node:assert/strict'
import { png } from '@gatehouse/testkit/images'
import type { TestResponse } from '@gatehouse/testkit/service'
import { encodeImage } from '../images/index.ts'
import { type DiscordBotSetup, eachDiscordBot } from './discord-testing.ts'

const rateHeaders = ['limit', 'remaining', 'reset', 'reset-after', 'bucket', 'scope', 'global']

/** The headers of the rate, without the prefix of their names. */
function readRate({ headers }: TestResponse): Record<string, string | null> {
  return Object.fromEntries(rateHeaders.map(name => [name, headers.get(`x-ratelimit-${name}`)]))
}

async function sendUntilAccepted({ service, send }: DiscordBotSetup): Promise<void> {
  let waiting = 300
  let rounds = 0
  while (waiting > 0) {
    const replies = await Promise.all(Array.from({ length: waiting }, () => send('GET', '/gateway/bot')))
    const refused = replies.filter(({ status }) => status === 429)
    for (const reply of refused) {
      const message = 'You are being rate limited.'
      assert.deepEqual(reply.body, { message, retry_after: 1, global: true })
      assert.equal(reply.headers.get('retry-after'), '1')
      assert.equal(reply.headers.get('via'), '1.1 gatehouse')
      const { scope, global, ...others } = readRate(reply)
      assert.deepEqual([scope, global], ['global', 'true'])
      assert.deepEqual(new Set(Object.values(others)), new Set([null]))
    }
    assert.equal(
      replies.every(({ status }) => status === 200 || status === 429),
      true,
    )
    waiting = refused.length
    if (waiting > 0) rounds++
    service.clock.advance(1000)
  }
  assert.equal(rounds > 0 && rounds <= 5, true, `${rounds} rounds`)
}

eachDiscordBot(
  'each of 300 requests at once is refused at most 5 times (discord/rate-limit)',
  sendUntilAccepted,
  {
    env: { RATE_LIMITS: 'requests=50/1' },
  },
)

eachDiscordBot(
  'the error of a request of a route has the headers of its rate (discord/rate-limit)',
  async ({ service, server, send }) => {
    const path = `/guilds/${server.id}/roles`
    assert.equal((await send('POST', path)).status, 200)
    service.clock.advance(1500)
    const refused = await send('POST', path)
    assert.deepEqual([refused.status, refused.body.retry_after, refused.body.global], [429, 9, false])
    assert.equal(refused.headers.get('retry-after'), '9')
    const reset = (service.clock.now() / 1000 + 9).toFixed(3)
    assert.deepEqual(readRate(refused), {
      ...{
        limit: '1',
        remaining: '0',
        reset,
        'reset-after': '9.000',
        bucket: 'roles',
        scope: 'user',
        global: null,
      },
    })
  },
  { env: { RATE_LIMITS: 'roles=1/10' } },
)

const icon = `data:image/png;base64,${png.toString('base64')}`

eachDiscordBot(
  'so has that of too many pictures (discord/rate-limit)',
  async ({ service, server, general, send }) => {
    const [guild, webhooks] = [`/guilds/${server.id}`, `/channels/${general.id}/webhooks`]
    assert.equal((await send('PATCH', guild, { icon })).status, 200)
    const reset = (service.clock.now() / 1000 + 30).toFixed(3)
    const expected = {
      ...{ limit: '1', remaining: '0', reset, 'reset-after': '30.000', bucket: 'images', scope: 'user' },
      global: null,
    }
    for (const [method, path, body] of [
      ['PATCH', guild, { icon }],
      ['PATCH', '/users/@me', { avatar: icon }],
      ['POST', webhooks, { name: 'h', avatar: icon }],
    ] as const) {
      const refused = await send(method, path, body)
      assert.deepEqual([refused.status, refused.body.retry_after, refused.body.global], [429, 30, false])
      assert.deepEqual(readRate(refused), expected)
    }
  },
  { env: { RATE_LIMITS: 'images=1/30' } },
)

eachDiscordBot(
  'so has that of a picture while too many of the bot wait (discord/rate-limit)',
  async ({ service, server, bot, send }) => {
    let isFull = true
    async function keepFull(): Promise<void> {
      while (isFull) await encodeImage(() => 0, bot.botId, png)
    }
    // One is decoded, 32 wait.
    const waiting = Array.from({ length: 33 }, keepFull)
    const refused = await send('PATCH', `/guilds/${server.id}`, { icon })
    isFull = false
    await Promise.all(waiting)
    assert.deepEqual([refused.status, refused.body.retry_after, refused.body.global], [429, 1, false])
    const reset = (service.clock.now() / 1000 + 1).toFixed(3)
    assert.deepEqual(readRate(refused), {
      ...{ limit: '32', remaining: '0', reset, 'reset-after': '1.000', bucket: 'waitingImages' },
      ...{ scope: 'user', global: null },
    })
  },
)

eachDiscordBot(
  'so has that of unknown invites, and of a URL without the token of a webhook (discord/rate-limit)',
  async ({ send }) => {
    for (const [method, path, bucket] of [
      ['GET', '/invites/unknown', 'unknownInvites'],
      ['POST', '/webhooks/1000000000000000001', 'webhookNotFound'],
    ] as const) {
      assert.equal((await send(method, path)).status, 404)
      const refused = await send(method, path)
      const { limit, remaining, scope, ...rate } = readRate(refused)
      assert.deepEqual([refused.status, limit, remaining, scope], [429, '1', '0', 'user'], refused.text)
      assert.deepEqual([rate.bucket, rate['reset-after']], [bucket, '30.000'])
      assert.deepEqual([refused.body.retry_after, refused.body.global], [30, false])
    }
  },
  { env: { RATE_LIMITS: 'unknownInvites=1/30,webhookNotFound=1/30' } },
)
