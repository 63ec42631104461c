import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import {
  assertError,
  createWorld,
  history,
  pressButton,
  receivedEvent,
  respond,
  runCommand,
  type World,
} from './interactions-testing.ts'

const commandsPath = '/api/applications/@me/commands'

/** The prefix of the field errors and the request, for every route with which a bot sends or edits a message. */
async function messageRoutes(world: World): Promise<[string, (data: object) => Promise<TestResponse>][]> {
  const { bot, channelId } = world
  const { event } = await respond(world, runCommand(world, 'ping'), {
    type: 'message',
    data: { content: 'first' },
  })
  const open = await receivedEvent(world, runCommand(world, 'ping'))
  const messages = `/api/channels/${channelId}/messages`
  const sent = await bot.json('POST', messages, { content: 'sent' })
  assert.equal(sent.status, 201, sent.text)
  return [
    ['data.', data => bot.callback(open, { type: 'message', data })],
    ['', data => bot.followup(event, data)],
    ['', data => bot.response('PATCH', event, 'original', data)],
    ['', data => bot.json('POST', messages, data)],
    ['', data => bot.json('PATCH', `${messages}/${sent.body.id}`, data)],
  ]
}

function link(url: string): unknown[] {
  return [{ type: 'row', components: [{ type: 'button', style: 'link', label: 'Go', url }] }]
}

eachService(
  'every route of a bot rejects URLs that are not http or https (webhooks/url-schemes)',
  async (_t, service) => {
    const world = await createWorld(service, { permissions: 1n << 14n })
    await world.bot.connect()
    const currentHistory = async () => (await history(world)).body
    const routes = await messageRoutes(world)
    const before = await currentHistory()
    const schemes = [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'java\tscript:alert(1)',
      ' javascript:alert(1)',
    ]
    const urls = [
      ...schemes,
      'vbscript:x',
      'data:text/html,x',
      'file:///etc/passwd',
      'ftp://a.example/',
      '//a.example',
    ]
    for (const url of urls) {
      const embed = {
        title: 'x',
        url,
        author: { name: 'x', url, icon_url: url },
        footer: { text: 'x', icon_url: url },
        image: { url },
        thumbnail: { url },
      }
      for (const [prefix, send] of routes) {
        const reply = await send({ embeds: [embed], components: link(url) })
        const fields = [
          'url',
          'footer.icon_url',
          'image.url',
          'thumbnail.url',
          'author.url',
          'author.icon_url',
        ]
        assert.deepEqual(
          fieldErrorsOf(reply).toSorted(),
          [
            ...fields.map(field => `${prefix}embeds[0].${field} invalid_url`),
            `${prefix}components[0].components[0].url invalid_url`,
          ].toSorted(),
          url,
        )
      }
    }
    assert.deepEqual(await currentHistory(), before)
  },
)

eachService(
  'accepts a host without a dot, and drops empty URLs (webhooks/url-host, webhooks/url-empty)',
  async (_t, service) => {
    const world = await createWorld(service, { permissions: 1n << 14n })
    await world.bot.connect()
    const embeds = [
      { title: 'x', url: 'http://host:8000/x', image: { url: '' }, author: { name: 'x', url: '' } },
    ]
    for (const [, send] of await messageRoutes(world)) {
      const reply = await send({ content: 'x', embeds, components: link('http://host:8000/x') })
      assert.ok(reply.status < 300, reply.text)
      const message = reply.body.message ?? reply.body
      assert.deepEqual(message.embeds, [{ title: 'x', url: 'http://host:8000/x', author: { name: 'x' } }])
      assert.equal(message.components[0].components[0].url, 'http://host:8000/x')
    }
  },
)

eachService(
  'every route of a bot rejects U+0000 and lone surrogates and counts code points ' +
    '(webhooks/text-characters, webhooks/content-length)',
  async (_t, service) => {
    const world = await createWorld(service, { permissions: 1n << 14n })
    await world.bot.connect()
    const routes = await messageRoutes(world)
    const button = { type: 'button', style: 'primary', label: 'x', customId: 'x' }
    for (const [prefix, send] of routes) {
      for (const bad of ['a\u0000', '\ud800', 'a\udc00b']) {
        assert.deepEqual(fieldErrorsOf(await send({ content: bad })), [`${prefix}content invalid_text`])
        const row = { type: 'row', components: [{ ...button, label: bad, customId: bad }] }
        const reply = await send({ content: 'x', embeds: [{ title: bad }], components: [row] })
        const buttonPaths = ['label', 'customId'].map(member => `components[0].components[0].${member}`)
        const errors = ['embeds[0].title', ...buttonPaths].map(path => `${prefix}${path} invalid_text`)
        assert.deepEqual(fieldErrorsOf(reply).toSorted(), errors.toSorted(), JSON.stringify(bad))
      }
      assert.deepEqual(fieldErrorsOf(await send({ content: '😀'.repeat(2001) })), [
        `${prefix}content too_long`,
      ])
      const full = await send({ content: ` ${'😀'.repeat(2000)} ` })
      assert.ok(full.status < 300, full.text)
      assert.equal((full.body.message ?? full.body).content.length, 4000)
    }
  },
)

eachService(
  'option values, nonces and commands reject U+0000 and lone surrogates (webhooks/text-characters)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner, channelId } = world
    await bot.connect()
    for (const bad of ['a\u0000', '\ud800']) {
      const sides = { name: 'sides', value: 6 }
      const options = [sides, { name: 'note', value: bad }]
      assert.deepEqual(fieldErrorsOf(await runCommand(world, 'roll', { options })), [
        'options[1].value invalid_text',
      ])
      const named = await runCommand(world, 'roll', { options: [sides, { name: bad, value: 1 }] })
      assert.deepEqual([named.status, named.body.code], [400, 'validation_failed'])
      const nonce = await runCommand(world, 'ping', { nonce: bad })
      assert.deepEqual([nonce.status, nonce.body.code], [400, 'validation_failed'])
      const pressed = await pressButton(world, channelId, bad)
      assert.deepEqual([pressed.status, pressed.body.code], [400, 'validation_failed'])
      const option = { type: 'string', name: 'a', description: bad, choices: [{ name: bad, value: bad }] }
      const put = await bot.json('PUT', commandsPath, [{ name: bad, description: bad, options: [option] }])
      assert.deepEqual(fieldErrorsOf(put).toSorted(), [
        '[0].description invalid_text',
        '[0].name invalid_text',
        '[0].options[0].choices[0].name invalid_text',
        '[0].options[0].choices[0].value invalid_text',
        '[0].options[0].description invalid_text',
      ])
      const application = await owner.client.json('POST', '/api/applications', { name: bad, type: 'public' })
      assert.equal(application.status, 400, application.text)
    }
    assert.deepEqual(bot.received, [])
    assert.equal((await ann.client.get(`/api/channels/${channelId}/commands`)).body.length, 2)
  },
)

eachService(
  'every route rejects a deeply nested body as malformed (webhooks/body-depth)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const path = `/api/interactions/${event.id}/${event.token}`
    const nested = (levels: number, inner: string) => '[{"a":'.repeat(levels) + inner + '}]'.repeat(levels)
    const bodies = [5000, 100_000].map(levels => `{"type":"message","data":${nested(levels, '1')}}`)
    const token = { authorization: `Bot ${bot.token}` }
    for (const body of bodies) {
      for (const [client, method, url, headers] of [
        [service.client(), 'POST', `${path}/callback`, token],
        [service.client(), 'POST', `${path}/followup`, token],
        [service.client(), 'PATCH', `${path}/original`, token],
        [service.client(), 'PUT', commandsPath, token],
        [service.client(), 'POST', `/api/channels/${channelId}/messages`, token],
        [ann.client, 'POST', '/api/interactions', {}],
      ] as const) {
        const reply = await client.send(url, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
        assertError(reply, 400, 'malformed_json')
      }
    }
    assert.equal((await bot.callback(event, { type: 'message', data: { content: 'x' } })).status, 200)
  },
)

eachService(
  '__proto__ is an ordinary option name and an unknown field of a response (webhooks/prototype-keys)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const names = ['__proto__', 'constructor', 'to-string']
    const options = names.map(name => ({ type: 'string', name, description: 'Odd' }))
    const put = await bot.json(
      'PUT',
      commandsPath,
      names.map(name => ({ name, description: 'Odd', options })),
    )
    assert.equal(put.status, 200, put.text)
    const registered: { id: string; name: string }[] = put.body
    assert.deepEqual(
      registered.map(({ name }) => name),
      names,
    )
    for (const { id, name } of registered) {
      const given = names.map(option => ({ name: option, value: `value of ${option}` }))
      const event = await receivedEvent(
        world,
        runCommand({ ...world, commands: { odd: id } }, 'odd', { options: given }),
      )
      assert.ok(event.type === 'command')
      assert.equal(event.data.name, name)
      assert.deepEqual(
        event.data.options,
        given.map(option => ({ ...option, type: 'string' })),
      )
      const raw = '{"type":"message","data":{"content":"x","__proto__":{"ephemeral":true}}}'
      const path = `/api/interactions/${event.id}/${event.token}/callback`
      const headers = { authorization: `Bot ${bot.token}`, 'content-type': 'application/json' }
      const reply = await service.client().send(path, { method: 'POST', headers, body: raw })
      assert.deepEqual(fieldErrorsOf(reply), ['data.__proto__ unknown_member'])
      const inEmbed = '{"type":"message","data":{"embeds":[{"title":"x","__proto__":{"color":1}}]}}'
      const embedded = await service.client().send(path, { method: 'POST', headers, body: inEmbed })
      assert.deepEqual(
        [embedded.status, embedded.body.message?.embeds],
        [200, [{ title: 'x' }]],
        embedded.text,
      )
    }
    assert.equal('ephemeral' in {}, false)
  },
)
