import assert from 'node:assert/strict'
import { eachService, type Reply } from '../testing.ts'
import {
  answered,
  assertRefused,
  eventOf,
  faultsOf,
  history,
  makeWorld,
  press,
  use,
  type World,
} from './testing.ts'

const commandsPath = '/api/applications/@me/commands'

/** Every way in which a bot puts a message: with where its faults stand. The last edits what the first ones made. */
async function doors(world: World): Promise<[string, (data: object) => Promise<Reply>][]> {
  const { bot, channelId } = world
  const { event } = await answered(world, use(world, 'ping'), { type: 'message', data: { content: 'first' } })
  const open = await eventOf(world, use(world, 'ping'))
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

eachService('check 14: no way of a bot takes an address that is not http or https', async (_t, service) => {
  const world = await makeWorld(service, { permissions: 1n << 14n })
  await world.bot.connect()
  const before = async () => (await history(world)).body
  const ways = await doors(world)
  const stood = await before()
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
    const card = {
      title: 'x',
      url,
      author: { name: 'x', url, icon_url: url },
      footer: { text: 'x', icon_url: url },
      image: { url },
      thumbnail: { url },
    }
    for (const [prefix, send] of ways) {
      const reply = await send({ embeds: [card], components: link(url) })
      const places = ['url', 'footer.icon_url', 'image.url', 'thumbnail.url', 'author.url', 'author.icon_url']
      assert.deepEqual(
        faultsOf(reply).toSorted(),
        [
          ...places.map(place => `${prefix}embeds[0].${place} invalid_url`),
          `${prefix}components[0].components[0].url invalid_url`,
        ].toSorted(),
        url,
      )
    }
  }
  assert.deepEqual(await before(), stood)
})

eachService(
  'checks 15 and 16: a host without a dot is an address, and an empty one is none',
  async (_t, service) => {
    const world = await makeWorld(service, { permissions: 1n << 14n })
    await world.bot.connect()
    const embeds = [
      { title: 'x', url: 'http://host:8000/x', image: { url: '' }, author: { name: 'x', url: '' } },
    ]
    for (const [, send] of await doors(world)) {
      const reply = await send({ content: 'x', embeds, components: link('http://host:8000/x') })
      assert.ok(reply.status < 300, reply.text)
      const message = reply.body.message ?? reply.body
      assert.deepEqual(message.embeds, [{ title: 'x', url: 'http://host:8000/x', author: { name: 'x' } }])
      assert.equal(message.components[0].components[0].url, 'http://host:8000/x')
    }
  },
)

eachService(
  'checks 30 and 31: text is sound, and counted in code points, wherever a bot writes',
  async (_t, service) => {
    const world = await makeWorld(service, { permissions: 1n << 14n })
    await world.bot.connect()
    const ways = await doors(world)
    const button = { type: 'button', style: 'primary', label: 'x', customId: 'x' }
    for (const [prefix, send] of ways) {
      for (const bad of ['a\u0000', '\ud800', 'a\udc00b']) {
        assert.deepEqual(faultsOf(await send({ content: bad })), [`${prefix}content invalid_text`])
        const row = { type: 'row', components: [{ ...button, label: bad, customId: bad }] }
        const reply = await send({ content: 'x', embeds: [{ title: bad }], components: [row] })
        const ofButton = ['label', 'customId'].map(member => `components[0].components[0].${member}`)
        const faults = ['embeds[0].title', ...ofButton].map(place => `${prefix}${place} invalid_text`)
        assert.deepEqual(faultsOf(reply).toSorted(), faults.toSorted(), JSON.stringify(bad))
      }
      assert.deepEqual(faultsOf(await send({ content: '😀'.repeat(2001) })), [`${prefix}content too_long`])
      const full = await send({ content: ` ${'😀'.repeat(2000)} ` })
      assert.ok(full.status < 300, full.text)
      assert.equal((full.body.message ?? full.body).content.length, 4000)
    }
  },
)

eachService('check 30: what a person enters, and what a command says, is sound too', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, owner, channelId } = world
  await bot.connect()
  for (const bad of ['a\u0000', '\ud800']) {
    const sides = { name: 'sides', value: 6 }
    const options = [sides, { name: 'note', value: bad }]
    assert.deepEqual(faultsOf(await use(world, 'roll', { options })), ['options[1].value invalid_text'])
    const named = await use(world, 'roll', { options: [sides, { name: bad, value: 1 }] })
    assert.deepEqual([named.status, named.body.code], [400, 'validation_failed'])
    const nonce = await use(world, 'ping', { nonce: bad })
    assert.deepEqual([nonce.status, nonce.body.code], [400, 'validation_failed'])
    const pressed = await press(world, channelId, bad)
    assert.deepEqual([pressed.status, pressed.body.code], [400, 'validation_failed'])
    const option = { type: 'string', name: 'a', description: bad, choices: [{ name: bad, value: bad }] }
    const put = await bot.json('PUT', commandsPath, [{ name: bad, description: bad, options: [option] }])
    assert.deepEqual(faultsOf(put).toSorted(), [
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
})

eachService(
  'check 27: a body that is nested deep is malformed on every way, at once',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const event = await eventOf(world, use(world, 'ping'))
    const path = `/api/interactions/${event.id}/${event.token}`
    const nested = (levels: number, inner: string) => '[{"a":'.repeat(levels) + inner + '}]'.repeat(levels)
    const bodies = [5000, 100_000].map(levels => `{"type":"message","data":${nested(levels, '1')}}`)
    const token = { authorization: `Bot ${bot.token}` }
    for (const body of bodies) {
      for (const [client, method, address, headers] of [
        [service.client(), 'POST', `${path}/callback`, token],
        [service.client(), 'POST', `${path}/followup`, token],
        [service.client(), 'PATCH', `${path}/original`, token],
        [service.client(), 'PUT', commandsPath, token],
        [service.client(), 'POST', `/api/channels/${channelId}/messages`, token],
        [ann.client, 'POST', '/api/interactions', {}],
      ] as const) {
        const reply = await client.send(address, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
        assertRefused(reply, 400, 'malformed_json')
      }
    }
    assert.equal((await bot.callback(event, { type: 'message', data: { content: 'x' } })).status, 200)
  },
)

eachService('check 28: __proto__ is a name like any other, and changes nothing', async (_t, service) => {
  const world = await makeWorld(service)
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
    const event = await eventOf(world, use({ ...world, commands: { odd: id } }, 'odd', { options: given }))
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
    assert.deepEqual(faultsOf(reply), ['data.__proto__ unknown_member'])
    const inCard = '{"type":"message","data":{"embeds":[{"title":"x","__proto__":{"color":1}}]}}'
    const card = await service.client().send(path, { method: 'POST', headers, body: inCard })
    assert.deepEqual([card.status, card.body.message?.embeds], [200, [{ title: 'x' }]], card.text)
  }
  assert.equal('ephemeral' in {}, false)
})
