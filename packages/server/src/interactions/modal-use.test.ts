import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { firstResponseMs } from '@gatehouse/protocol/limits'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createMessageRepository } from '../community/messages/index.ts'
import { createEvents, subjects } from '../events/gateway-events.ts'
import { createProxyUrls } from '../images/media-proxy/index.ts'
import { sweepInteractions } from './interaction-sweep.ts'
import {
  assertError,
  buttons,
  createWorld,
  history,
  pressButton,
  receivedEvent,
  recordEvents,
  runCommand,
  setEndpoint,
  type World,
} from './interactions-testing.ts'

const fields = [
  { type: 'text_input', customId: 'reason', style: 'short', label: 'Reason', minLength: 2, maxLength: 10 },
  { type: 'text_input', customId: 'details', style: 'paragraph', label: 'Details', required: false },
]
const modal = {
  customId: 'report:5',
  title: 'Report',
  components: fields.map(field => ({ type: 'row', components: [field] })),
}
const filled = [{ customId: 'reason', value: 'Spam' }]

/** The bot responds to an interaction of ann with the modal. */
async function open(world: World, request: Promise<TestResponse>): Promise<InteractionCreate> {
  const event = await receivedEvent(world, request)
  const reply = await world.bot.callback(event, { type: 'modal', data: modal })
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body, { message: null })
  return event
}

function submit(
  world: World,
  { id }: Pick<InteractionCreate, 'id'>,
  more: object = {},
  user = world.ann,
): Promise<TestResponse> {
  const body = { type: 'modal_submit', channelId: world.channelId, interactionId: id, components: filled }
  return user.client.json('POST', '/api/interactions', { ...body, ...more })
}

async function postButton(world: World, channelId = world.channelId): Promise<string> {
  const body = { content: 'Report?', components: buttons('open') }
  const reply = await world.bot.json('POST', `/api/channels/${channelId}/messages`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

eachService(
  'a modal answers a command: only its user sees it, and nothing is posted (bots/modals)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner } = world
    await bot.connect()
    const updates = await recordEvents(service, subjects.user(ann.id))
    const others = await recordEvents(service, subjects.user(owner.id))
    const event = await open(world, runCommand(world, 'ping', { nonce: 'mine' }))
    const status = { id: event.id, state: 'answered', modal }
    assert.deepEqual(updates.of('INTERACTION_UPDATE'), [{ ...status, nonce: 'mine' }])
    assert.deepEqual(others.of('INTERACTION_UPDATE'), [])
    assert.deepEqual((await history(world)).body, [])
    const path = `/api/interactions/${event.id}`
    assert.deepEqual((await ann.client.get(path)).body, status)
    assert.equal((await owner.client.get(path)).status, 404)
    assertError(
      await bot.callback(event, { type: 'modal', data: modal }),
      409,
      'interaction_already_answered',
    )
    const log = await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    assert.deepEqual([log.body[0].response, log.body[0].state], ['modal', 'answered'])
    service.clock.advance(900_000)
    assert.deepEqual((await ann.client.get(path)).body, { id: event.id, state: 'answered' })
  },
)

eachService(
  '202: the bot receives what the user entered, and responds with a message (bots/modal-submit)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const opened = await open(world, runCommand(world, 'ping'))
    const components = [
      { customId: 'details', value: ' Two\nlines ' },
      { customId: 'reason', value: 'Spam' },
    ]
    const event = await receivedEvent(world, submit(world, opened, { components, nonce: 'n' }))
    assert.notEqual(event.id, opened.id)
    assert.notEqual(event.token, opened.token)
    const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
    assert.deepEqual(event, {
      version: 1,
      id: event.id,
      token: event.token,
      type: 'modal_submit',
      applicationId: bot.applicationId,
      channelId: world.channelId,
      serverId: world.serverId,
      user: { id: ann.id, username: 'ann', displayName: 'ann', avatar: `/images/users/${ann.id}/default` },
      data: {
        customId: 'report:5',
        components: [
          { type: 'text_input', customId: 'reason', value: 'Spam' },
          { type: 'text_input', customId: 'details', value: 'Two\nlines' },
        ],
      },
      createdAt: at(0),
      deadlineAt: at(3000),
      expiresAt: at(900_000),
    })
    // A repeat with the same nonce has no effect.
    const repeated = await submit(world, opened, { components, nonce: 'n' })
    assert.deepEqual([repeated.status, repeated.body.id], [202, event.id])
    for (const type of ['update', 'modal']) {
      const data = type === 'modal' ? modal : { content: 'x' }
      assert.deepEqual(fieldErrorsOf(await bot.callback(event, { type, data })), ['type not_allowed'])
    }
    const reply = await bot.callback(event, { type: 'message', data: { content: 'Thanks' } })
    assert.equal(reply.status, 200, reply.text)
    const { type, name } = reply.body.message.interaction
    assert.deepEqual([type, name], ['modal_submit', 'report:5'])
    assert.equal(bot.received.length, 2)
    const log = await world.owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    const entry = log.body.at(-1)
    assert.deepEqual([entry.type, entry.name, entry.sent.data], ['modal_submit', 'report:5', event.data])
  },
)

eachService(
  'a modal of a command may be acknowledged: nothing is posted, and a follow-up is possible (bots/modal-submit)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const opened = await open(world, runCommand(world, 'ping'))
    const updates = await recordEvents(service, subjects.user(ann.id))
    const event = await receivedEvent(world, submit(world, opened, { nonce: 'n' }))
    const data = { content: 'x' }
    const withText = await bot.callback(event, { type: 'deferred_update', data })
    assert.deepEqual(fieldErrorsOf(withText), ['data.content not_allowed'])
    const reply = await bot.callback(event, { type: 'deferred_update' })
    assert.deepEqual([reply.status, reply.body], [200, { message: null }])
    const answered = { id: event.id, state: 'answered', nonce: 'n' }
    assert.deepEqual(updates.of('INTERACTION_UPDATE'), [answered])
    assert.deepEqual((await history(world)).body, [])
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? data : undefined
      assertError(await bot.response(method, event, 'original', body), 404, 'not_found')
    }
    const followup = await bot.followup(event, { content: 'Thanks' })
    assert.deepEqual([followup.status, followup.body.content], [200, 'Thanks'])
  },
)

eachService(
  'a modal of a component: the submit has its message, and can update it, also in a direct message (bots/modal-submit)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const direct = await bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    for (const channelId of [world.channelId, direct.body.id]) {
      const messageId = await postButton(world, channelId)
      const opened = await open(world, pressButton(world, messageId, 'open', { channelId }))
      const event = await receivedEvent(world, submit(world, opened, { channelId }))
      assert.ok(event.type === 'modal_submit')
      assert.deepEqual(event.message, { id: messageId, content: 'Report?', components: buttons('open') })
      const reply = await bot.callback(event, { type: 7, data: { content: 'Done', components: [] } })
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual([reply.body.message.id, reply.body.message.content], [messageId, 'Done'])
    }
    // After the message was deleted, the text of the user still reaches the bot.
    const messageId = await postButton(world)
    const opened = await open(world, pressButton(world, messageId, 'open'))
    const path = `/api/channels/${world.channelId}/messages/${messageId}`
    assert.equal((await bot.json('DELETE', path)).status, 204)
    const event = await receivedEvent(world, submit(world, opened))
    assert.equal('message' in event, false)
    assertError(await bot.callback(event, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
    assert.equal((await bot.callback(event, { type: 'deferred_update' })).status, 200)
  },
)

eachService(
  'a modal of an ephemeral message: the submit updates it, and the log has only its id (bots/ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const command = await receivedEvent(world, runCommand(world, 'ping'))
    const data = { content: 'Secret', ephemeral: true, components: buttons('open') }
    const shown = await bot.callback(command, { type: 'message', data })
    const messageId = shown.body.message.id
    const opened = await open(world, pressButton(world, messageId, 'open'))
    const event = await receivedEvent(world, submit(world, opened))
    assert.ok(event.type === 'modal_submit')
    assert.equal(event.message?.content, 'Secret')
    const reply = await bot.callback(event, { type: 'update', data: { content: 'Done' } })
    assert.deepEqual([reply.status, reply.body.message?.id], [200, messageId])
    const log = await world.owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    assert.deepEqual(log.body.at(-1).sent.message, { id: messageId })
  },
)

eachService(
  '409: only one of several concurrent submits of a modal is accepted (bots/modal-submit)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const opened = await open(world, runCommand(world, 'ping'))
    const replies = await Promise.all(Array.from({ length: 5 }, () => submit(world, opened)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [202, 409, 409, 409, 409])
    assertError(await submit(world, opened, { nonce: 'another' }), 409, 'conflict')
    assert.equal(world.bot.received.length, 2)
  },
)

eachService(
  '202: a modal can be submitted again after the bot did not respond (bots/modal-submit)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const opened = await open(world, runCommand(world, 'ping'))
    const first = await receivedEvent(world, submit(world, opened))
    assertError(await submit(world, opened), 409, 'conflict')
    service.clock.advance(firstResponseMs)
    const replies = await Promise.all(Array.from({ length: 5 }, () => submit(world, opened)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [202, 409, 409, 409, 409])
    const answer = { type: 'message', data: { content: 'Thanks' } }
    assertError(await world.bot.callback(first, answer), 410, 'interaction_timed_out')
    assert.equal((await world.bot.callback(await world.bot.event(2), answer)).status, 200)
    assertError(await submit(world, opened), 409, 'conflict')
  },
)

eachService(
  '400: invalid values name their field, and the modal can be submitted again (bots/modal-values)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const opened = await open(world, runCommand(world, 'ping'))
    const value = (text: unknown) => [{ customId: 'reason', value: text }]
    const cases: [unknown, string[]][] = [
      [undefined, ['components required']],
      [[], ['components required']],
      [value(' '), ['components[0].value required']],
      [value('x'), ['components[0].value too_short']],
      [value('x'.repeat(11)), ['components[0].value too_long']],
      [value('a\nb'), ['components[0].value invalid_format']],
      [value('a\u0000'), ['components[0].value invalid_text']],
      [value('x'.repeat(4001)), ['components[0].value too_long']],
      [value(5), ['components[0].value invalid_type']],
      [[...filled, { customId: 'x', value: 'y' }], ['components[1].customId unknown_member']],
      [[...filled, ...filled], ['components[1].customId duplicate']],
    ]
    for (const [components, errors] of cases) {
      assert.deepEqual(fieldErrorsOf(await submit(world, opened, { components })), errors)
    }
    const short = await submit(world, opened, { components: value('x') })
    assert.match(
      short.body.message,
      /"components\[0\]\.value" must have at least 2 characters \(field "Reason"\)/,
    )
    assert.deepEqual(fieldErrorsOf(await submit(world, opened, { customId: 'x' })), ['customId not_allowed'])
    assert.equal(world.bot.received.length, 1)
    assert.equal((await submit(world, opened)).status, 202)
  },
)

eachService(
  '404, 403 and 410: who cannot submit a modal; the bot receives no event (bots/modal-submit)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, serverId, channelId } = world
    await bot.connect()
    const opened = await open(world, runCommand(world, 'ping'))
    const messageId = await postButton(world)
    const pressed = await open(world, pressButton(world, messageId, 'open'))
    const pending = await receivedEvent(world, runCommand(world, 'ping'))
    const count = bot.received.length
    assertError(await submit(world, opened, {}, owner), 404, 'not_found')
    assertError(await submit(world, pending), 404, 'not_found')
    assertError(await submit(world, { id: channelId }), 404, 'not_found')
    const other = await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: 'other' })
    assertError(await submit(world, opened, { channelId: other.body.id }), 404, 'not_found')

    const overwrite = (deny: bigint, targetId = serverId, type = 'role') =>
      owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${targetId}`, {
        type,
        allow: '0',
        deny: formatPermissions(deny),
      })
    assert.equal((await overwrite(Permission.USE_COMMANDS)).status, 204)
    assertError(await submit(world, opened), 403, 'missing_permission')
    assert.equal((await overwrite(0n)).status, 204)
    assert.equal((await overwrite(Permission.VIEW_CHANNEL, ann.id, 'member')).status, 204)
    assertError(await submit(world, opened), 404, 'not_found')
    assert.equal((await overwrite(0n, ann.id, 'member')).status, 204)
    assert.equal((await overwrite(Permission.VIEW_CHANNEL, bot.botId, 'member')).status, 204)
    assertError(await submit(world, opened), 404, 'not_found')
    assert.equal((await overwrite(0n, bot.botId, 'member')).status, 204)
    const timeout = (end: string | null) =>
      owner.client.json('PATCH', `/api/servers/${serverId}/members/${ann.id}`, {
        timedOutUntil: end,
      })
    assert.equal((await timeout(new Date(service.clock.now() + 60_000).toISOString())).status, 200)
    assertError(await submit(world, pressed), 403, 'timed_out')
    assert.equal((await timeout(null)).status, 200)

    assert.equal((await submit(world, pressed)).status, 202)
    service.clock.advance(900_000)
    assertError(await submit(world, opened), 410, 'interaction_token_expired')
    const again = await open(world, runCommand(world, 'ping'))
    assert.equal(
      (await owner.client.json('DELETE', `/api/servers/${serverId}/members/${bot.botId}`)).status,
      204,
    )
    assertError(await submit(world, again), 404, 'not_found')
    assert.equal(bot.received.length, count + 2)
  },
)

eachService('400: an invalid modal, after which the bot can respond (bots/modals)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot } = world
  await bot.connect()
  const event = await receivedEvent(world, runCommand(world, 'ping'))
  const cases: [object, string[]][] = [
    [{ type: 'modal' }, ['data required']],
    [{ type: 9, data: {} }, ['data.customId required', 'data.title required', 'data.components required']],
    [{ type: 'modal', data: { ...modal, content: 'x' } }, ['data.content unknown_member']],
    [{ type: 'modal', data: { ...modal, title: 'x'.repeat(46) } }, ['data.title too_long']],
    [
      { type: 'modal', data: { ...modal, components: buttons('x') } },
      ['data.components[0].components[0].style invalid_choice'],
    ],
    [{ type: 'message', data: { content: 'x', title: 'x' } }, ['data.title unknown_member']],
    [{ type: 'defer', data: { customId: 'x' } }, ['data.customId unknown_member']],
  ]
  for (const [body, errors] of cases) {
    const found = fieldErrorsOf(await bot.callback(event, body))
    for (const error of errors) assert.ok(found.includes(error), `${found}`)
  }
  const followup = fieldErrorsOf(await bot.followup(event, { content: 'x', title: 'x' }))
  assert.deepEqual(followup, ['title unknown_member'])
  assert.equal((await bot.callback(event, { type: 9, data: modal })).status, 200)
})

eachService(
  'an endpoint responds with a modal, and receives the submit (bots/endpoint-signature)',
  async (t, service) => {
    const world = await createWorld(service)
    const endpoint = await setEndpoint(t, world)
    const updates = await recordEvents(service, subjects.user(world.ann.id))
    const respondWith = (body: object) => {
      endpoint.respond = (_, response) => response.writeHead(200).end(JSON.stringify(body))
    }
    respondWith({ type: 'modal', data: modal })
    const run = await runCommand(world, 'ping')
    await waitUntil(() => updates.of('INTERACTION_UPDATE').length === 1)
    assert.deepEqual(updates.of('INTERACTION_UPDATE')[0]?.modal, modal)
    respondWith({ type: 'unknown' })
    assert.equal((await submit(world, run.body)).status, 202)
    service.clock.advance(3000)
    await waitUntil(() => updates.of('INTERACTION_UPDATE').length === 2)
    assert.equal(updates.of('INTERACTION_UPDATE')[1]?.state, 'timed_out')
    // A submit that timed out does not count (bots/modal-submit).
    respondWith({ type: 'message', data: { content: 'Thanks' } })
    const submitted = await submit(world, run.body)
    assert.equal(submitted.status, 202, submitted.text)
    await waitUntil(() => updates.of('INTERACTION_UPDATE').length === 3)
    assert.equal((await history(world)).body[0].content, 'Thanks')
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } },
)

eachService('the sweep deletes a modal with its interaction (bots/modals)', async (_t, service) => {
  const { db, clock } = service
  const world = await createWorld(service)
  await world.bot.connect()
  const opened = await open(world, runCommand(world, 'ping'))
  assert.equal((await submit(world, opened)).status, 202)
  const count = () => db.get`SELECT COUNT(*) AS n FROM interactions`
  assert.deepEqual(await count(), { n: 2 })
  clock.advance(25 * 60 * 60_000)
  const events = createEvents({ publish() {} })
  const proxyUrls = createProxyUrls(new Uint8Array(32))
  const messages = createMessageRepository({ db, clock: clock.now, ids: () => '', events, proxyUrls })
  const status = { publishTimeout() {}, publishUpdate() {} }
  await sweepInteractions({ db, clock: clock.now, events, messages, status })
  assert.deepEqual(await count(), { n: 0 })
})
