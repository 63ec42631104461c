import assert from 'node:assert/strict'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { connectUser, identify } from '../../gateway/gateway-testing.ts'
import {
  createWorld,
  history,
  pressButton,
  putCommands,
  runCommand,
  setEndpoint,
  type World,
} from '../../interactions/interactions-testing.ts'
import { assertDiscordError } from '../discord-responses-testing.ts'
import { type DiscordSession, identifyDiscord, nextEvent } from '../gateway/discord-gateway-testing.ts'

type Json = ReturnType<typeof JSON.parse>

interface Setup {
  world: World
  session: DiscordSession
  /** The next interaction of the bot. */
  next(): Promise<Json>
  callback(event: Json, body: object, query?: string): Promise<Json>
  /** A request to the responses of an interaction. */
  respond(event: Json, method: string, path: string, body?: object): Promise<Json>
  submit(opened: Json, values: Readonly<Record<string, string>>): Promise<void>
}

async function setUp(service: TestService): Promise<Setup> {
  const world = await createWorld(service)
  const session = await identifyDiscord(service, { token: world.bot.token })
  const client = service.client()
  return {
    world,
    session,
    next: () => nextEvent(session, 'INTERACTION_CREATE'),
    callback: ({ id, token }, body, query = '') =>
      client.json('POST', `/api/v10/interactions/${id}/${token}/callback${query}`, body),
    respond: ({ application_id: id, token }, method, path, body) =>
      client.json(method, `/api/v10/webhooks/${id}/${token}${path}`, body),
    submit: (opened, values) => submitModal(world, opened, values),
  }
}

async function submitModal(
  { ann, channelId }: World,
  { id: interactionId }: Json,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const components = Object.entries(values).map(([customId, value]) => ({ customId, value }))
  const body = { type: 'modal_submit', channelId, interactionId, components }
  const reply = await ann.client.json('POST', '/api/interactions', body)
  assert.equal(reply.status, 202, reply.text)
}

const input = (custom_id: string, more: object = {}) => ({ type: 4, custom_id, style: 1, ...more })
const label = (component: object, more: object = {}) => ({ type: 18, label: 'Label', component, ...more })
const modalOf = (...components: object[]) => ({ custom_id: 'form', title: 'Form', components })

/** A label with a description, a row, and a label with ids. */
const modal = modalOf(
  label(input('name'), { description: 'As on the card' }),
  { type: 1, components: [input('city', { label: 'City', id: 1 })] },
  label(input('zip', { required: false, id: 9 }), { id: 4 }),
)
const entered = { name: 'Ann', city: 'Riga' }
const submitted = [
  { type: 18, id: 2, component: { type: 4, id: 3, custom_id: 'name', value: 'Ann' } },
  { type: 1, id: 5, components: [{ type: 4, id: 1, custom_id: 'city', value: 'Riga' }] },
  { type: 18, id: 4, component: { type: 4, id: 9, custom_id: 'zip', value: '' } },
]

eachService('a modal returns in the form in which it was sent (discord/modals)', async (_t, service) => {
  const { world, next, callback, submit } = await setUp(service)
  const user = await connectUser(service, world.ann)
  await runCommand(world, 'ping')
  const opened = await next()
  assert.equal((await callback(opened, { type: 9, data: modal })).status, 204)
  // The client of the user gets what it shows.
  for (;;) {
    const { t, d } = await user.nextDispatch()
    if (t !== 'INTERACTION_UPDATE') continue
    const { body } = await world.ann.client.get(`/api/interactions/${opened.id}`)
    assert.deepEqual(d, body)
    const [
      {
        components: [name],
      },
    ] = body.modal.components
    const field = { type: 'text_input', customId: 'name', style: 'short', label: 'Label' }
    assert.deepEqual(name, { ...field, description: 'As on the card' })
    assert.deepEqual(Object.keys(body.modal.components[2]).sort(), ['components', 'type'])
    assert.doesNotMatch(JSON.stringify(body.modal), /"id"|isLabel/)
    break
  }
  await submit(opened, entered)
  const { data } = await next()
  assert.deepEqual(data, { custom_id: 'form', components: submitted })
})

eachService(
  'an endpoint in the format of Discord receives a modal as it was sent (discord/modals)',
  async (t, service) => {
    const world = await createWorld(service)
    const endpoint = await setEndpoint(t, world, 'discord')
    endpoint.respond = (_, reply) => reply.end(JSON.stringify({ type: 9, data: modal }))
    const { id } = (await runCommand(world, 'ping')).body
    const status = async () => (await world.ann.client.get(`/api/interactions/${id}`)).body
    await waitUntil(async () => (await status()).modal !== undefined)
    endpoint.respond = (_, reply) => reply.end(JSON.stringify({ type: 6 }))
    await submitModal(world, { id }, entered)
    await waitUntil(() => endpoint.received.length === 2)
    assert.deepEqual(JSON.parse(endpoint.received[1] ?? '').data.components, submitted)
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1' } },
)

eachService('errors of a modal have the paths of its labels (discord/modals)', async (_t, service) => {
  const { world, next, callback } = await setUp(service)
  await runCommand(world, 'ping')
  const opened = await next()
  const cases: [component: object, path: string][] = [
    [label(input('a'), { label: '' }), 'label'],
    [label(input('a'), { description: 'x'.repeat(101) }), 'description'],
    [label(input('a', { style: 3 })), 'component.style'],
    [label({ type: 3, custom_id: 'a', options: [{ label: 'a', value: 'a' }] }), 'component.type'],
    [label({ type: 5, custom_id: 'a' }), 'component.type'],
    [{ type: 18, label: 'Label' }, 'component'],
    [label(input('a', { id: 7 }), { id: 7 }), 'component.id'],
    [{ type: 1, components: [input('a', { label: '' })] }, 'components.0.label'],
    [{ type: 10, content: 'x' }, 'type'],
  ]
  for (const [component, path] of cases) {
    const reply = await callback(opened, { type: 9, data: modalOf(component) })
    assertDiscordError(reply, 400, 50035)
    const start = reply.body.errors.data.components[0]
    const node = path.split('.').reduce((errors, step) => errors?.[step], start)
    assert.ok(node?._errors[0].message, `${path}: ${reply.text}`)
  }
})

eachService(
  'a modal that a command opened may be answered without a message (discord/responses)',
  async (_t, service) => {
    const { world, next, callback, respond, submit } = await setUp(service)
    await runCommand(world, 'ping')
    const opened = await next()
    assertDiscordError(await callback(opened, { type: 6 }), 400, 50035)
    await callback(opened, { type: 9, data: modal })
    await submit(opened, entered)
    const event = await next()
    assertDiscordError(await callback(event, { type: 7, data: { content: 'x' } }), 400, 50035)
    assert.equal((await callback(event, { type: 6 })).status, 204)
    const { body } = await world.ann.client.get(`/api/interactions/${event.id}`)
    assert.deepEqual(body, { id: event.id, state: 'answered' })
    assert.deepEqual((await history(world)).body, [])
    assertDiscordError(await respond(event, 'GET', '/messages/@original'), 404, 10008)
    const followup = await respond(event, 'POST', '', { content: 'Thanks' })
    assert.deepEqual([followup.status, followup.body.content], [200, 'Thanks'])
    assertDiscordError(await callback(event, { type: 6 }), 400, 40060)
  },
)

eachService(
  'interactions have the ids of components, and ours have none (discord/components)',
  async (_t, service) => {
    const { world, session, next, callback } = await setUp(service)
    const menus = [
      { name: 'ping', description: 'Answers' },
      { type: 'message', name: 'Which' },
    ]
    world.commands = await putCommands(world.bot, menus)
    await runCommand(world, 'ping')
    const button = { type: 2, style: 1, label: 'x', custom_id: 'go', id: 1 }
    const data = { content: 'x', components: [{ type: 1, components: [button] }] }
    const reply = await callback(await next(), { type: 4, data }, '?with_response=true')
    const { id, components } = reply.body.resource.message
    assert.deepEqual([components[0].id, components[0].components[0].id], [2, 1])
    await pressButton(world, id, 'go')
    const press = await next()
    assert.deepEqual(press.message.components, components)
    await callback(press, { type: 6 })
    await runCommand(world, 'Which', { targetId: id })
    const which = await next()
    assert.deepEqual(which.data.resolved.messages[id].components, components)
    await callback(which, { type: 4, data: { ...data, flags: 64 } })
    session.socket.close()

    const native = await identify(service, { token: world.bot.token, intents: [] })
    const take = async (): Promise<Json> => {
      const { t, d } = await native.nextDispatch()
      return t === 'INTERACTION_CREATE' ? d : take()
    }
    const own = [
      { type: 'row', components: [{ type: 'button', style: 'primary', label: 'x', customId: 'go' }] },
    ]
    await pressButton(world, id, 'go')
    assert.deepEqual((await take()).message.components, own)
    await runCommand(world, 'Which', { targetId: id })
    assert.deepEqual((await take()).data.resolved.message.components, own)
    const log = await world.owner.client.get(`/api/applications/${world.bot.applicationId}/interactions`)
    assert.deepEqual(log.body.at(-2).sent.message.components, own)
  },
)
