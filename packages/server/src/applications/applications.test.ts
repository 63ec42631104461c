import assert from 'node:assert/strict'
import { type Client, eachService, type TestService } from '../testing.ts'

async function person(service: TestService, username: string): Promise<Client> {
  const client = service.client()
  const email = `${username}@example.org`
  const reply = await client.json('POST', '/api/auth/register', {
    username,
    email,
    password: 'correct horse',
  })
  assert.equal(reply.status, 201, reply.text)
  return client
}

eachService('an application shows its secret once and never again', async (_t, service) => {
  const ana = await person(service, 'ana')
  const made = await ana.json('POST', '/api/applications', {
    name: 'Site',
    type: 'confidential',
    redirectUris: ['https://site.example/cb'],
  })
  assert.equal(made.status, 201)
  assert.match(made.body.clientSecret, /^gcs_[0-9A-Za-z]{49}$/)
  assert.match(made.body.publicKey, /^[0-9a-f]{64}$/)
  assert.equal(made.body.bot, null)
  const { clientSecret, ...rest } = made.body
  assert.deepEqual((await ana.json('GET', `/api/applications/${rest.id}`)).body, rest)
  assert.deepEqual((await ana.json('GET', '/api/applications')).body, [rest])
  const reset = await ana.json('POST', `/api/applications/${rest.id}/secret`)
  assert.equal(reset.status, 200)
  assert.match(reset.body.clientSecret, /^gcs_/)
  assert.notEqual(reset.body.clientSecret, clientSecret)
  assert.equal(service.log.join('').includes(clientSecret), false)
})

eachService('a public application has no secret to show or reset', async (_t, service) => {
  const ana = await person(service, 'ana')
  const made = await ana.json('POST', '/api/applications', {
    name: 'App',
    type: 'public',
    allowLoopbackPort: true,
  })
  assert.equal(made.status, 201)
  assert.equal('clientSecret' in made.body, false)
  assert.equal((await ana.json('POST', `/api/applications/${made.body.id}/secret`)).status, 404)
})

eachService('applications are refused with the field that is wrong', async (_t, service) => {
  const ana = await person(service, 'ana')
  const base = { name: 'Site', type: 'confidential' }
  for (const [body, path, code] of [
    [{ ...base, name: '' }, 'name', 'too_short'],
    [{ ...base, name: 'x'.repeat(65) }, 'name', 'too_long'],
    [{ ...base, type: 'other' }, 'type', 'invalid_choice'],
    [{ ...base, owner: 'me' }, 'owner', 'unknown_member'],
    [{ ...base, redirectUris: ['https://a.example/', 'javascript:x'] }, 'redirectUris[1]', 'invalid_url'],
    [{ ...base, redirectUris: ['https://a.example/#x'] }, 'redirectUris[0]', 'invalid_url'],
    [{ ...base, redirectUris: ['https://a.example/', 'https://a.example/'] }, 'redirectUris[1]', 'duplicate'],
    [{ ...base, allowLoopbackPort: true }, 'allowLoopbackPort', 'invalid'],
  ] as const) {
    const reply = await ana.json('POST', '/api/applications', body)
    assert.equal(reply.status, 400, reply.text)
    assert.equal(reply.body.code, 'validation_failed')
    assert.equal(reply.body.errors[0].path, path)
    assert.equal(reply.body.errors[0].code, code)
  }
  const redirectUris = Array.from({ length: 11 }, (_, i) => `https://site.example/${i}`)
  const tooMany = await ana.json('POST', '/api/applications', { ...base, redirectUris })
  assert.equal(tooMany.status, 400)
  assert.equal(tooMany.body.code, 'redirect_uri_limit')
  assert.equal(
    (await ana.json('POST', '/api/applications', { ...base, redirectUris: redirectUris.slice(1) })).status,
    201,
  )
})

eachService('applications of different owners never see each other', async (_t, service) => {
  const ana = await person(service, 'ana')
  const boris = await person(service, 'boris')
  const { body } = await ana.json('POST', '/api/applications', { name: 'Site', type: 'confidential' })
  const path = `/api/applications/${body.id}`
  for (const [method, address, sent] of [
    ['GET', path, undefined],
    ['PATCH', path, { name: 'Mine' }],
    ['DELETE', path, undefined],
    ['POST', `${path}/secret`, undefined],
    ['POST', `${path}/bot`, {}],
    ['POST', `${path}/bot/token`, undefined],
  ] as const) {
    assert.equal((await boris.json(method, address, sent)).status, 404, `${method} ${address}`)
    assert.equal((await service.client().json(method, address, sent)).status, 401, `${method} ${address}`)
  }
  assert.deepEqual((await boris.json('GET', '/api/applications')).body, [])
})

eachService('an application changes what is named and keeps the rest', async (_t, service) => {
  const ana = await person(service, 'ana')
  const { body } = await ana.json('POST', '/api/applications', {
    name: 'Site',
    type: 'public',
    redirectUris: ['https://site.example/cb'],
  })
  const path = `/api/applications/${body.id}`
  const changed = await ana.json('PATCH', path, { description: 'Signs people in.' })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.body, { ...body, description: 'Signs people in.' })
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const icon = await ana.send(`${path}/icon`, {
    method: 'PUT',
    body: png,
    headers: { 'content-type': 'image/png' },
  })
  assert.equal(icon.status, 200, icon.text)
  assert.equal((await ana.get(icon.body.icon)).status, 200)
  const text = await ana.send(`${path}/icon`, {
    method: 'PUT',
    body: 'hello',
    headers: { 'content-type': 'image/png' },
  })
  assert.equal(text.status, 400)
  assert.equal((await ana.json('DELETE', path)).status, 204)
  assert.equal((await ana.json('GET', path)).status, 404)
})

eachService('a bot is made once, its token holds until it is reset', async (_t, service) => {
  const ana = await person(service, 'ana')
  const { body } = await ana.json('POST', '/api/applications', { name: 'Dice Roller!', type: 'confidential' })
  const path = `/api/applications/${body.id}/bot`
  assert.equal((await ana.json('POST', `${path}/token`)).status, 404)
  const made = await ana.json('POST', path, { username: 'dice' })
  assert.equal(made.status, 201, made.text)
  assert.match(made.body.token, /^gbt_[0-9A-Za-z]{49}$/)
  assert.equal(made.body.bot.bot, true)
  assert.equal((await ana.json('POST', path, {})).status, 409)

  const bot = { authorization: `Bot ${made.body.token}` }
  const self = await service.client().json('GET', '/api/users/@me', undefined, bot)
  assert.equal(self.status, 200, self.text)
  assert.equal(self.body.username, 'dice')
  const reset = await ana.json('POST', `${path}/token`)
  assert.equal(reset.status, 200)
  assert.equal((await service.client().json('GET', '/api/users/@me', undefined, bot)).status, 401)
  const fresh = { authorization: `Bot ${reset.body.token}` }
  assert.equal((await service.client().json('GET', '/api/users/@me', undefined, fresh)).status, 200)

  await ana.json('DELETE', `/api/applications/${body.id}`)
  assert.equal((await service.client().json('GET', '/api/users/@me', undefined, fresh)).status, 401)
})

const roll = {
  name: 'roll',
  description: 'Roll the dice',
  options: [{ type: 'integer', name: 'sides', description: 'How many' }],
}

async function bot(
  service: TestService,
): Promise<{ ana: Client; headers: Record<string, string>; applicationId: string }> {
  const ana = await person(service, 'ana')
  const application = await ana.json('POST', '/api/applications', { name: 'Dice', type: 'confidential' })
  const made = await ana.json('POST', `/api/applications/${application.body.id}/bot`, {})
  assert.equal(made.status, 201, made.text)
  return { ana, headers: { authorization: `Bot ${made.body.token}` }, applicationId: application.body.id }
}

eachService(
  'check 52: a set is replaced as a whole, and a name that stays keeps its id',
  async (_t, service) => {
    const { headers } = await bot(service)
    const put = (commands: unknown) =>
      service.client().json('PUT', '/api/applications/@me/commands', commands, headers)
    const ping = { name: 'ping', description: 'Answers', options: [] }
    const first = await put([roll, ping])
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(
      first.body.map((command: { name: string }) => command.name),
      ['roll', 'ping'],
    )
    assert.equal(first.body[0].serverId, undefined)
    service.clock.advance(1000)
    assert.deepEqual((await put([roll, ping])).body, first.body)
    const second = await put([{ ...ping, description: 'Answers at once' }])
    assert.equal(second.body.length, 1)
    assert.equal(second.body[0].id, first.body[1].id)
    assert.equal(second.body[0].createdAt, first.body[1].createdAt)
    assert.notEqual(second.body[0].updatedAt, first.body[1].updatedAt)
    const listed = await service.client().json('GET', '/api/applications/@me/commands', undefined, headers)
    assert.deepEqual(listed.body, second.body)
    assert.deepEqual((await put([])).body, [])
  },
)

eachService('check 51: a fault leaves the set as it was and names its place', async (_t, service) => {
  const { headers } = await bot(service)
  const put = (commands: unknown) =>
    service.client().json('PUT', '/api/applications/@me/commands', commands, headers)
  const before = await put([roll])
  const wrong = await put([
    { name: 'ok', description: 'Fine' },
    {
      name: 'bad',
      description: 'x',
      options: [{ type: 'string', name: 'a', description: 'b', choices: [{ name: 'n', value: 1 }] }],
    },
  ])
  assert.equal(wrong.status, 400)
  assert.equal(wrong.body.errors[0].path, '[1].options[0].choices[0].value')
  const many = Array.from({ length: 101 }, (_, i) => ({ name: `c${i}`, description: 'x' }))
  assert.equal((await put(many)).body.code, 'command_limit')
  assert.equal((await put({ name: 'x' })).status, 400)
  assert.equal((await put('nothing')).status, 400)
  const listed = await service.client().json('GET', '/api/applications/@me/commands', undefined, headers)
  assert.deepEqual(listed.body, before.body)
  assert.equal((await put(many.slice(1))).status, 200)
})

eachService('check 50: sets put at once leave one of them, whole', async (_t, service) => {
  const { headers } = await bot(service)
  const sets = Array.from({ length: 8 }, (_, set) =>
    Array.from({ length: 6 }, (_, i) => ({ name: `c${i}`, description: `set ${set}` })),
  )
  const replies = await Promise.all(
    sets.map(set => service.client().json('PUT', '/api/applications/@me/commands', set, headers)),
  )
  assert.deepEqual(new Set(replies.map(reply => reply.status)), new Set([200]))
  const { body } = await service.client().json('GET', '/api/applications/@me/commands', undefined, headers)
  assert.equal(body.length, 6)
  assert.equal(new Set(body.map((command: { description: string }) => command.description)).size, 1)
})

eachService('check 53: commands are put by the bot alone', async (_t, service) => {
  const { ana } = await bot(service)
  assert.equal((await ana.json('PUT', '/api/applications/@me/commands', [])).status, 401)
  const wrong = { authorization: `Bot gbt_${'a'.repeat(49)}` }
  assert.equal((await service.client().json('PUT', '/api/applications/@me/commands', [], wrong)).status, 401)
})
