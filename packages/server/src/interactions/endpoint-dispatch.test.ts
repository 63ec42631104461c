import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type TestContext, test } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { maxEndpointResponseBytes } from '@gatehouse/protocol/limits'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createCertificate } from '@gatehouse/testkit/certificate'
import { createTestClock } from '@gatehouse/testkit/clock'
import { listen } from '@gatehouse/testkit/listen'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { TestEndpoint } from '../applications/applications-testing.ts'
import type { ApplicationRecord } from '../applications/index.ts'
import { subjects } from '../events/gateway-events.ts'
import { connectUser } from '../gateway/gateway-testing.ts'
import { createOutgoing } from '../outgoing/index.ts'
import { StorageUnavailable } from '../storage/database.ts'
import { createEndpointDispatch } from './endpoint-dispatch.ts'
import {
  createWorld,
  history,
  pressButton,
  putCommands,
  type RecordedEvents,
  recordEvents,
  runCommand,
  setEndpoint,
  type World,
} from './interactions-testing.ts'

const local = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } }

/** A world whose bot has an interactions endpoint. */
async function setUp(t: TestContext, service: TestService) {
  const world = await createWorld(service)
  return { world, endpoint: await setEndpoint(t, world) }
}

function respondWith(endpoint: TestEndpoint, status: number, body = ''): void {
  endpoint.respond = (_, response) => response.writeHead(status).end(body)
}

async function statusOf(
  world: World,
  created: TestResponse,
): Promise<{ state: string; reason?: string; reasonCode?: string }> {
  const { id: _, ...rest } = (await world.ann.client.get(`/api/interactions/${created.body.id}`)).body
  return rest
}

async function lastLogEntry(world: World): Promise<Record<string, unknown>> {
  const reply = await world.owner.client.get(`/api/applications/${world.bot.applicationId}/interactions`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.at(-1)
}

/** What the user reads, whatever is wrong with the bot. */
const noAnswer = {
  state: 'timed_out',
  reason: 'The bot did not respond within 3 seconds.',
  reasonCode: 'no_answer',
}

/** Waits until the log says why the last request to the endpoint failed. */
async function waitForReason(world: World): Promise<void> {
  await waitUntil(async () => (await lastLogEntry(world)).reason !== null)
}

/** Waits for INTERACTION_UPDATE. */
async function waitForUpdate(events: RecordedEvents, created: TestResponse): Promise<void> {
  await waitUntil(() => events.of('INTERACTION_UPDATE').some(({ id }) => id === created.body.id))
}

const messages = async (world: World) => (await history(world)).body

eachService(
  'sends the signed event and uses the response of the endpoint as the first response (bots/endpoint-signature)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    respondWith(endpoint, 200, JSON.stringify({ type: 'message', data: { content: 'pong' } }))
    const reply = await runCommand(world, 'ping', { nonce: 'n' })
    assert.equal(reply.status, 202, reply.text)
    await waitForUpdate(annEvents, reply)
    assert.deepEqual(await statusOf(world, reply), { state: 'answered' })
    const [body = ''] = endpoint.received
    const event: InteractionCreate = JSON.parse(body)
    assert.equal(event.id, reply.body.id)
    assert.equal(event.type, 'command')
    assert.match(event.token, /^git_/)
    assert.equal(event.applicationId, world.bot.applicationId)
    const [message] = await messages(world)
    assert.equal(message.content, 'pong')
    assert.equal(message.author.id, world.bot.botId)
    assert.deepEqual(annEvents.of('INTERACTION_UPDATE'), [{ id: event.id, state: 'answered', nonce: 'n' }])
    const entry = await lastLogEntry(world)
    assert.deepEqual([entry.delivery, entry.state, entry.response], ['endpoint', 'answered', 'message'])
    // A second first response is rejected, and follow-ups are accepted.
    const second = await world.bot.callback(event, { type: 'message', data: { content: 'again' } })
    assert.equal(second.body.code, 'interaction_already_answered')
    assert.equal((await world.bot.followup(event, { content: 'more' })).status, 200)
    service.clock.advance(60_000)
    assert.deepEqual(await statusOf(world, reply), { state: 'answered' })
  },
  local,
)

eachService(
  'accepts numeric types, defer and button updates from the endpoint',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    respondWith(endpoint, 200, '{"type":5}')
    const deferred = await runCommand(world, 'ping')
    await waitForUpdate(annEvents, deferred)
    assert.deepEqual(await statusOf(world, deferred), { state: 'deferred' })
    const button = { type: 'button', style: 'primary', label: 'Press', customId: 'b' }
    const data = { content: 'one', components: [{ type: 'row', components: [button] }] }
    respondWith(endpoint, 200, JSON.stringify({ type: 4, data }))
    await waitForUpdate(annEvents, await runCommand(world, 'ping'))
    const [{ id }] = await messages(world)
    respondWith(endpoint, 200, JSON.stringify({ type: 'update', data: { content: 'two' } }))
    const pressed = await pressButton(world, id, 'b')
    await waitForUpdate(annEvents, pressed)
    assert.deepEqual(await statusOf(world, pressed), { state: 'answered' })
    assert.equal((await messages(world))[0].content, 'two')
  },
  local,
)

eachService(
  'after 202, 204 or an empty 200 the bot can call the callback route until the deadline (bots/endpoint-signature)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    for (const status of [202, 204, 200]) {
      respondWith(endpoint, status)
      const before = endpoint.received.length
      const reply = await runCommand(world, 'ping')
      assert.equal(reply.body.state, 'pending', reply.text)
      await waitUntil(() => endpoint.received.length > before)
      const event: InteractionCreate = JSON.parse(endpoint.received.at(-1) ?? '')
      service.clock.advance(2999)
      const callback = await world.bot.callback(event, { type: 'message', data: { content: `${status}` } })
      assert.equal(callback.status, 200, callback.text)
      assert.equal((await statusOf(world, reply)).state, 'answered')
    }
    const late = await runCommand(world, 'ping')
    await waitUntil(() => endpoint.received.length === 4)
    service.clock.advance(3000)
    assert.deepEqual(await statusOf(world, late), {
      state: 'timed_out',
      reason: 'The bot did not respond within 3 seconds.',
      reasonCode: 'no_answer',
    })
    assert.equal(endpoint.received.length, 4)
  },
  local,
)

eachService(
  'ignores the response of the endpoint if the bot called the callback route first',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    for (const [status, body] of [
      [202, ''],
      [200, JSON.stringify({ type: 'message', data: { content: 'second' } })],
    ] as const) {
      endpoint.respond = async (event, response) => {
        const callback = await world.bot.callback(event, { type: 'message', data: { content: 'first' } })
        assert.equal(callback.status, 200, callback.text)
        response.writeHead(status).end(body)
      }
      const reply = await runCommand(world, 'ping')
      await waitForUpdate(annEvents, reply)
      assert.deepEqual(await statusOf(world, reply), { state: 'answered' })
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
  'an endpoint that fails is not retried, the log says why, and the user reads that the bot ' +
    'did not respond (bots/outgoing-redirects, bots/outgoing-size, bots/endpoint-failures)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    const status = (code: number) => `The bot's endpoint returned status ${code}.`
    const invalid = (problem: string) => `The bot's endpoint returned an invalid response: ${problem}`
    const failed = (problem: string) => `The bot's endpoint failed: ${problem}.`
    const end = (body: string) => (response: ServerResponse) => response.end(body)
    for (const [reason, respond] of [
      [status(500), r => r.writeHead(500).end()],
      [status(404), r => r.writeHead(404).end('{"type":"message","data":{"content":"x"}}')],
      [status(401), r => r.writeHead(401).end()],
      [status(201), r => r.writeHead(201).end('{"type":"message","data":{"content":"x"}}')],
      [invalid('The body is not JSON.'), end('pong')],
      [invalid('The body is nested deeper than 32 levels.'), end('['.repeat(5000))],
      [
        invalid(
          'type must be one of "message", "defer", "deferred_update", "update", ' +
            '"autocomplete", "modal", 4, 5, 6, 7, 8, 9.',
        ),
        end('{"type":"pong"}'),
      ],
      [invalid('data.content must have at most 2000 characters.'), end(message('x'.repeat(2001)))],
      [
        invalid('data.content must have at most 2000 characters. data.embeds must be an array or null.'),
        end(JSON.stringify({ type: 'message', data: { content: 'x'.repeat(2001), embeds: 1 } })),
      ],
      [invalid('data.content is required if there is no embed.'), end('{"type":"message","data":{}}')],
      [
        invalid(
          'type must be another type of response: "deferred_update" is only for components and modals.',
        ),
        end('{"type":6}'),
      ],
      [failed('its response is too large'), end(message('x'.repeat(maxEndpointResponseBytes)))],
      [
        failed('its response is compressed, which is not supported'),
        r => r.setHeader('content-encoding', 'gzip').end('x'),
      ],
      [
        failed('it responded with a redirect, which is not followed (307)'),
        r => r.writeHead(307, { location: endpoint.url }).end(),
      ],
      [failed('the connection was closed before the response was complete (ECONNRESET)'), r => r.destroy()],
    ] as [string, (response: ServerResponse) => void][]) {
      const before = endpoint.received.length
      endpoint.respond = (_, response) => respond(response)
      const reply = await runCommand(world, 'ping')
      assert.equal(reply.status, 202, reason)
      const { id } = reply.body
      await waitForReason(world)
      assert.deepEqual(await statusOf(world, reply), { state: 'pending' }, reason)
      service.clock.advance(2999)
      const updatesOf = () => annEvents.of('INTERACTION_UPDATE').filter(update => update.id === id)
      assert.deepEqual(updatesOf(), [], `${reason} before the deadline`)
      service.clock.advance(1)
      await waitForUpdate(annEvents, reply)
      assert.deepEqual(await statusOf(world, reply), noAnswer, reason)
      assert.deepEqual(updatesOf(), [{ id, ...noAnswer }], `${reason} after the deadline`)
      const entry = await lastLogEntry(world)
      assert.deepEqual([entry.id, entry.delivery, entry.reason], [id, 'endpoint', reason])
      assert.equal(endpoint.received.length, before + 1, `${reason} is not retried`)
      const event: InteractionCreate = JSON.parse(endpoint.received.at(-1) ?? '')
      const late = await world.bot.callback(event, { type: 'message', data: { content: 'x' } })
      assert.equal(late.status, 410, `a late response after ${reason}`)
      assert.equal(service.log.join('').includes(event.token), false, `the log contains a token: ${reason}`)
    }
    assert.deepEqual(await messages(world), [])
    const failures = service.log.filter(line =>
      line.includes('the dispatch to an interactions endpoint failed'),
    )
    assert.match(failures[0] ?? '', /"status":500/)
    assert.equal(failures.length, 15)
    assert.equal(
      service.log.some(line => line.includes(endpoint.url)),
      false,
      'the log contains the URL of the endpoint',
    )
  },
  local,
)

function message(content: string): string {
  return JSON.stringify({ type: 'message', data: { content } })
}

eachService(
  'a slow endpoint times out at the deadline (bots/outgoing-size, bots/endpoint-failures)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
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
      const received = Promise.withResolvers<ServerResponse>()
      endpoint.respond = (_, response) => {
        begin(response)
        received.resolve(response)
      }
      const before = endpoint.received.length
      const reply = await runCommand(world, 'ping')
      assert.equal(reply.body.state, 'pending')
      const response = await received.promise
      service.clock.advance(3000)
      await waitForUpdate(annEvents, reply)
      assert.deepEqual(await statusOf(world, reply), {
        state: 'timed_out',
        reason: 'The bot did not respond within 3 seconds.',
        reasonCode: 'no_answer',
      })
      await waitUntil(() => response.destroyed)
      assert.equal(endpoint.received.length, before + 1)
    }
  },
  local,
)

eachService(
  'uses the gateway again after the endpoint was removed',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    await world.bot.connect()
    await runCommand(world, 'ping')
    await waitUntil(() => endpoint.received.length === 1)
    assert.equal(world.bot.received.length, 0)
    const path = `/api/applications/${world.bot.applicationId}`
    await world.owner.client.json('PATCH', path, { interactionsEndpointUrl: null })
    await runCommand(world, 'ping')
    assert.deepEqual([endpoint.received.length, world.bot.received.length], [1, 1])
  },
  local,
)

eachService(
  'POST /api/interactions returns 202 before the endpoint responds',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    const received = Promise.withResolvers<ServerResponse>()
    endpoint.respond = (_, response) => received.resolve(response)
    let reply: TestResponse | undefined
    const request = runCommand(world, 'ping').then(result => {
      reply = result
    })
    const response = await received.promise
    try {
      await waitUntil(() => reply !== undefined)
      assert.ok(reply)
      assert.deepEqual([reply.status, reply.body.state], [202, 'pending'])
      assert.deepEqual(await statusOf(world, reply), { state: 'pending' })
    } finally {
      response.end(message('pong'))
      await request
    }
    await waitForUpdate(annEvents, reply)
    assert.deepEqual(await statusOf(world, reply), { state: 'answered' })
  },
  local,
)

eachService(
  'a service that stops publishes the outcomes of endpoint requests before it closes the connections',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    for (const state of ['answered', 'timed_out'] as const) {
      const ann = await connectUser(service, world.ann)
      const received = Promise.withResolvers<ServerResponse>()
      endpoint.respond = (_, response) => received.resolve(response)
      const reply = await runCommand(world, 'ping')
      const response = await received.promise
      const restarted = service.restart()
      // The service waits for the endpoint: the gateway has not asked the client to reconnect yet.
      for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual(ann.takeFrames(), [])
      if (state === 'timed_out') service.clock.advance(3000)
      else response.end(message('pong'))
      await restarted
      const { code } = await ann.closed
      assert.equal(code, 1012)
      const frames = ann.takeFrames()
      const update = frames.find(({ t }) => t === 'INTERACTION_UPDATE')
      assert.ok(update, `INTERACTION_UPDATE is missing: ${state}`)
      assert.ok(frames.indexOf(update) < frames.findIndex(({ op }) => op === 7))
      const status = await statusOf(world, reply)
      assert.deepEqual(update.d, { id: reply.body.id, ...status })
      assert.equal(status.state, state)
      if (state === 'timed_out') assert.equal(status.reasonCode, 'no_answer')
    }
  },
  local,
)

eachService(
  'after its endpoint failed, the bot may respond with the callback route until the deadline (bots/endpoint-failures)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    respondWith(endpoint, 502)
    const reply = await runCommand(world, 'ping')
    await waitForReason(world)
    const event: InteractionCreate = JSON.parse(endpoint.received.at(-1) ?? '')
    const pong = { type: 'message', data: { content: 'pong' } }
    assert.equal((await world.bot.callback(event, pong)).status, 200)
    assert.deepEqual(await statusOf(world, reply), { state: 'answered' })
    assert.equal((await lastLogEntry(world)).reason, null)
  },
  local,
)

eachService(
  'no detail of a failed endpoint reaches the user, also with autocomplete (bots/endpoint-failures)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    endpoint.respond = (_, response) => response.destroy()
    const reply = await runCommand(world, 'ping')
    await waitForReason(world)
    assert.match(String((await lastLogEntry(world)).reason), /ECONNRESET/)
    const status = await world.ann.client.get(`/api/interactions/${reply.body.id}`)
    service.clock.advance(3000)
    const after = await world.ann.client.get(`/api/interactions/${reply.body.id}`)
    const [commandId] = Object.values(
      await putCommands(world.bot, [
        {
          name: 'find',
          description: 'Finds',
          options: [{ type: 'string', name: 'song', description: 'What', autocomplete: true }],
        },
      ]),
    )
    const body = { channelId: world.channelId, commandId, focused: 'song' }
    const suggested = await world.ann.client.json('POST', '/api/interactions/autocomplete', body)
    assert.equal(suggested.body.code, 'interaction_not_answered', suggested.text)
    for (const { text } of [status, after, suggested]) assert.doesNotMatch(text, /ECONNRESET|endpoint/i)
  },
  local,
)

eachService(
  'the response of an endpoint is refused if its bot may not view the channel any more (bots/bot-lost-channel)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    endpoint.respond = async (_, response) => {
      const deny = { type: 'member', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
      const path = `/api/channels/${world.channelId}/overwrites/${world.bot.botId}`
      await world.owner.client.json('PUT', path, deny)
      response.end(message('pong'))
    }
    await runCommand(world, 'ping')
    await waitForReason(world)
    assert.deepEqual(await messages(world), [])
  },
  local,
)

eachService(
  'INTERACTION_UPDATE of a timeout has the reason that GET returns (bots/endpoint-failures)',
  async (t, service) => {
    const { world, endpoint } = await setUp(t, service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    const received = Promise.withResolvers<void>()
    endpoint.respond = () => received.resolve()
    const created = await runCommand(world, 'ping')
    await received.promise
    await service.db.run`UPDATE interactions SET reason_code = 'unreachable' WHERE id = ${created.body.id}`
    service.clock.advance(3000)
    await waitForUpdate(annEvents, created)
    const status = await statusOf(world, created)
    assert.equal(status.reasonCode, 'unreachable')
    assert.deepEqual(annEvents.of('INTERACTION_UPDATE'), [{ id: created.body.id, ...status }])
  },
  local,
)

const endpointFormats = { discord: { describe: async () => ({}), readCallback: () => assert.fail() } }

test('an unavailable database is not a failure of the endpoint, and the error is logged', () => {
  const clock = createTestClock()
  const cause = new StorageUnavailable('test')
  const endpoint = createEndpointDispatch({
    endpointFormats,
    clock: clock.now,
    outgoing: { post: () => assert.fail() },
    sign: () => assert.fail(),
    onFailure: failure => assert.fail(failure.reason),
  })
  const event = { id: '5', token: 'secret', applicationId: '1' } as InteractionCreate
  const application = { interactionsEndpointUrl: 'https://bot.example/' } as ApplicationRecord
  assert.deepEqual(endpoint.toFailure({ event, application, deadlineAt: clock.now() + 3000 }, cause), {
    kind: 'failed',
    reason: {
      code: 'endpoint_failed',
      detail: 'The service failed while it called the endpoint or stored its response.',
    },
    cause,
  })
})

test('verifies the certificate of an https endpoint for its host name (bots/outgoing-requests)', async t => {
  const clock = createTestClock()
  const certificate = createCertificate('bot.example')
  const requests: unknown[] = []
  const server = createServer(certificate, async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { host, 'content-type': type } = request.headers
    requests.push(host, type, request.headers['x-signature-timestamp'], body)
    response.end('{"type":"defer"}')
  })
  const { port } = await listen(t, server)
  const outgoing = createOutgoing({
    allowPrivateTargets: ['127.0.0.1'],
    resolve: async () => ['127.0.0.1'],
    timers: clock.timers,
    ca: certificate.cert,
  })
  t.after(() => outgoing.close())
  const endpoint = createEndpointDispatch({
    endpointFormats,
    clock: clock.now,
    outgoing,
    sign: () => ({ 'X-Signature-Ed25519': '0'.repeat(128), 'X-Signature-Timestamp': '1768478400' }),
    onFailure: failure => assert.fail(failure.reason),
  })
  const event = { id: '5', token: 'secret', applicationId: '1' } as InteractionCreate
  const application = {
    botUserId: '7',
    interactionsEndpointUrl: `https://bot.example:${port}/x`,
  } as ApplicationRecord
  const result = await endpoint.send({ event, application, deadlineAt: clock.now() + 3000 })
  assert.deepEqual(result, { kind: 'confirmed', response: { type: 'defer' } })
  assert.deepEqual(requests, [`bot.example:${port}`, 'application/json', '1768478400', JSON.stringify(event)])
})
