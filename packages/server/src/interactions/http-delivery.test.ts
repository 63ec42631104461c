import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { maxEndpointAnswerBytes } from '@gatehouse/protocol/limits'
import type { ApplicationRecord } from '../applications/index.ts'
import { serveEndpoint, type TestEndpoint } from '../applications/testing.ts'
import { createTestClock } from '../kit/testing.ts'
import { createOutgoing } from '../outgoing/index.ts'
import { makeCertificate, serve } from '../outgoing/testing.ts'
import { subjects } from '../platform/events.ts'
import { eachService, type Reply, type TestService } from '../testing.ts'
import { createHttpDelivery } from './http-delivery.ts'
import { history, listen, makeWorld, press, until, use, type World } from './testing.ts'

const local = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } }

/** A world whose bot is asked by HTTP. */
async function setUp(t: TestContext, service: TestService) {
  const world = await makeWorld(service)
  const endpoint = await serveEndpoint(t)
  const path = `/api/applications/${world.bot.applicationId}`
  endpoint.publicKey = (await world.owner.client.get(path)).body.publicKey
  const set = await world.owner.client.json('PATCH', path, { interactionsEndpointUrl: endpoint.url })
  assert.equal(set.status, 200, set.text)
  endpoint.received.length = 0
  return { world, endpoint }
}

function answerWith(endpoint: TestEndpoint, status: number, body = ''): void {
  endpoint.answer = (_, response) => response.writeHead(status).end(body)
}

async function standing(world: World, invoked: Reply): Promise<{ state: string; reason?: string }> {
  const { id: _, ...rest } = (await world.ann.client.get(`/api/interactions/${invoked.body.id}`)).body
  return rest
}

async function lastLogged(world: World): Promise<Record<string, unknown>> {
  const reply = await world.owner.client.get(`/api/applications/${world.bot.applicationId}/interactions`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.at(-1)
}

const messages = async (world: World) => (await history(world)).body

eachService(
  'D51: the event comes signed, as it stands on the gateway, and its answer is the first response',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const told = await listen(service, subjects.user(world.ann.id))
    answerWith(endpoint, 200, JSON.stringify({ type: 'message', data: { content: 'pong' } }))
    const reply = await use(world, 'ping', { nonce: 'n' })
    assert.equal(reply.status, 202, reply.text)
    assert.equal(reply.body.state, 'answered')
    const [body = ''] = endpoint.received
    const event: InteractionCreate = JSON.parse(body)
    assert.equal(event.id, reply.body.id)
    assert.equal(event.type, 'command')
    assert.match(event.token, /^git_/)
    assert.equal(event.applicationId, world.bot.applicationId)
    const [message] = await messages(world)
    assert.equal(message.content, 'pong')
    assert.equal(message.author.id, world.bot.botId)
    assert.deepEqual(told.of('INTERACTION_UPDATE'), [{ id: event.id, state: 'answered', nonce: 'n' }])
    const logged = await lastLogged(world)
    assert.deepEqual([logged.delivery, logged.state, logged.response], ['endpoint', 'answered', 'message'])
    // It is a first response like any other: there is no second one, and follow-ups go on from it.
    const second = await world.bot.callback(event, { type: 'message', data: { content: 'again' } })
    assert.equal(second.body.code, 'interaction_already_answered')
    assert.equal((await world.bot.followup(event, { content: 'more' })).status, 200)
    service.clock.advance(60_000)
    assert.deepEqual(await standing(world, reply), { state: 'answered' })
  },
  local,
)

eachService(
  'numeric types, defer and buttons are answered at once too',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    answerWith(endpoint, 200, '{"type":5}')
    assert.equal((await use(world, 'ping')).body.state, 'deferred')
    const button = { type: 'button', style: 'primary', label: 'Press', customId: 'b' }
    const data = { content: 'one', components: [{ type: 'row', components: [button] }] }
    answerWith(endpoint, 200, JSON.stringify({ type: 4, data }))
    await use(world, 'ping')
    const [{ id }] = await messages(world)
    answerWith(endpoint, 200, JSON.stringify({ type: 'update', data: { content: 'two' } }))
    const pressed = await press(world, id, 'b')
    assert.equal(pressed.body.state, 'answered', pressed.text)
    assert.equal((await messages(world))[0].content, 'two')
  },
  local,
)

eachService(
  'D51: after 202, 204 or an empty 200 the callback follows by its own request, until the deadline',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    for (const status of [202, 204, 200]) {
      answerWith(endpoint, status)
      const reply = await use(world, 'ping')
      assert.equal(reply.body.state, 'pending', reply.text)
      const event: InteractionCreate = JSON.parse(endpoint.received.at(-1) ?? '')
      service.clock.advance(2999)
      const callback = await world.bot.callback(event, { type: 'message', data: { content: `${status}` } })
      assert.equal(callback.status, 200, callback.text)
      assert.equal((await standing(world, reply)).state, 'answered')
    }
    const late = await use(world, 'ping')
    service.clock.advance(3000)
    assert.deepEqual(await standing(world, late), {
      state: 'timed_out',
      reason: 'The bot did not answer within 3 seconds.',
      reasonCode: 'no_answer',
    })
    assert.equal(endpoint.received.length, 4)
  },
  local,
)

eachService(
  'a callback by its own request may be there before the endpoint answers',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    for (const [status, body] of [
      [202, ''],
      [200, JSON.stringify({ type: 'message', data: { content: 'second' } })],
    ] as const) {
      endpoint.answer = async (event, response) => {
        const callback = await world.bot.callback(event, { type: 'message', data: { content: 'first' } })
        assert.equal(callback.status, 200, callback.text)
        response.writeHead(status).end(body)
      }
      assert.equal((await use(world, 'ping')).body.state, 'answered')
      const [message, ...rest] = await messages(world)
      assert.equal(message.content, 'first')
      assert.equal(
        rest.some(({ content }: { content: string }) => content === 'second'),
        false,
      )
    }
  },
  local,
)

eachService(
  'checks 22, 23, 83: what is no answer fails at once, the person is told, and it is not tried again',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const told = await listen(service, subjects.user(world.ann.id))
    const status = (code: number) => `The bot's endpoint answered with the status ${code}.`
    const useless = (what: string) => `The bot's endpoint answered with what cannot be used: ${what}`
    const failed = (what: string) => `The bot's endpoint failed: ${what}.`
    const end = (body: string) => (response: ServerResponse) => response.end(body)
    for (const [reason, answer] of [
      [status(500), r => r.writeHead(500).end()],
      [status(404), r => r.writeHead(404).end('{"type":"message","data":{"content":"x"}}')],
      [status(401), r => r.writeHead(401).end()],
      [status(201), r => r.writeHead(201).end('{"type":"message","data":{"content":"x"}}')],
      [useless('The body is not JSON.'), end('pong')],
      [useless('The body is nested deeper than 32 levels.'), end('['.repeat(5000))],
      [useless('type must be equal to one of the allowed values.'), end('{"type":"pong"}')],
      [useless('data.content must NOT have more than 2000 characters.'), end(message('x'.repeat(2001)))],
      [useless('data.content is required where there is no embed.'), end('{"type":"message","data":{}}')],
      [useless('type deferred_update is for buttons.'), end('{"type":6}')],
      [failed('its answer is too large'), end(message('x'.repeat(maxEndpointAnswerBytes)))],
      [
        failed('its answer is compressed, which was not asked for'),
        r => r.setHeader('content-encoding', 'gzip').end('x'),
      ],
      [
        failed('it answered with a redirect, which is not followed (307)'),
        r => r.writeHead(307, { location: endpoint.url }).end(),
      ],
      [failed('the connection broke off (ECONNRESET)'), r => r.destroy()],
    ] as [string, (response: ServerResponse) => void][]) {
      const before = endpoint.received.length
      endpoint.answer = (_, response) => answer(response)
      const reply = await use(world, 'ping')
      assert.equal(reply.status, 202)
      assert.equal(reply.body.state, 'failed', reason)
      const { id } = reply.body
      assert.deepEqual(await standing(world, reply), {
        state: 'failed',
        reason,
        reasonCode: 'endpoint_failed',
      })
      const updates = told.of('INTERACTION_UPDATE').filter(update => update.id === id)
      assert.deepEqual(updates, [{ id, state: 'failed', reason, reasonCode: 'endpoint_failed' }])
      const logged = await lastLogged(world)
      assert.deepEqual([logged.id, logged.delivery, logged.reason], [id, 'endpoint', reason])
      service.clock.advance(3000)
      assert.equal(endpoint.received.length, before + 1)
      const event: InteractionCreate = JSON.parse(endpoint.received.at(-1) ?? '')
      assert.equal((await world.bot.callback(event, { type: 'message', data: { content: 'x' } })).status, 404)
      assert.equal(service.log.join('').includes(event.token), false)
    }
    assert.deepEqual(await messages(world), [])
    const noted = service.log.filter(line => line.includes('an interactions endpoint did not take'))
    assert.match(noted[0] ?? '', /"status":500/)
    assert.equal(noted.length, 14)
    assert.equal(
      service.log.some(line => line.includes(endpoint.url)),
      false,
    )
  },
  local,
)

function message(content: string): string {
  return JSON.stringify({ type: 'message', data: { content } })
}

eachService(
  'checks 23, 83: an endpoint that is slow is timed out at the deadline, however it is slow',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    for (const begin of [
      () => undefined,
      (response: ServerResponse) => response.flushHeaders(),
      (response: ServerResponse) => {
        const drip = () => {
          if (response.destroyed) return
          response.write(' ')
          setImmediate(drip)
        }
        drip()
      },
    ]) {
      const asked = Promise.withResolvers<ServerResponse>()
      endpoint.answer = (_, response) => {
        begin(response)
        asked.resolve(response)
      }
      const before = endpoint.received.length
      const invoked = use(world, 'ping')
      const response = await asked.promise
      service.clock.advance(3000)
      const reply = await invoked
      assert.deepEqual(await standing(world, reply), {
        state: 'timed_out',
        reason: 'The bot did not answer within 3 seconds.',
        reasonCode: 'no_answer',
      })
      assert.equal(reply.body.state, 'timed_out')
      await until(() => response.destroyed)
      assert.equal(endpoint.received.length, before + 1)
    }
  },
  local,
)

eachService(
  'without its endpoint a bot is asked by the gateway again',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    await world.bot.connect()
    await use(world, 'ping')
    assert.deepEqual([endpoint.received.length, world.bot.received.length], [1, 0])
    const path = `/api/applications/${world.bot.applicationId}`
    await world.owner.client.json('PATCH', path, { interactionsEndpointUrl: null })
    await use(world, 'ping')
    assert.deepEqual([endpoint.received.length, world.bot.received.length], [1, 1])
  },
  local,
)

test('check 21: over https the event goes to the name whose certificate holds', async t => {
  const clock = createTestClock()
  const certificate = makeCertificate('bot.example')
  const seen: unknown[] = []
  const { port } = await serve(
    t,
    async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const { host, 'content-type': type } = request.headers
      seen.push(host, type, request.headers['x-signature-timestamp'], body)
      response.end('{"type":"defer"}')
    },
    certificate,
  )
  const outgoing = createOutgoing({
    allowPrivateTargets: ['127.0.0.1'],
    resolve: async () => ['127.0.0.1'],
    timers: clock.timers,
    ca: certificate.cert,
  })
  t.after(() => outgoing.close())
  const answers: unknown[] = []
  const deliver = createHttpDelivery({
    clock: clock.now,
    outgoing,
    sign: () => ({ 'X-Signature-Ed25519': '0'.repeat(128), 'X-Signature-Timestamp': '1768478400' }),
    callback: async (answerer, body) => {
      answers.push(answerer, body)
    },
    note: failure => assert.fail(failure.reason),
  })
  const event = { id: '5', token: 'secret', applicationId: '1' } as InteractionCreate
  const application = {
    botUserId: '7',
    interactionsEndpointUrl: `https://bot.example:${port}/x`,
  } as ApplicationRecord
  const delivered = await deliver({ event, application, deadlineAt: clock.now() + 3000 })
  assert.deepEqual(delivered, { taken: true, sessionId: undefined })
  assert.deepEqual(seen, [`bot.example:${port}`, 'application/json', '1768478400', JSON.stringify(event)])
  assert.deepEqual(answers, [
    { userId: '7', applicationId: '1', id: '5', token: 'secret' },
    { type: 'defer' },
  ])
})
