import assert from 'node:assert/strict'
import { assertOneLeft, oldIds } from '@gatehouse/testkit/caps'
import { png } from '@gatehouse/testkit/images'
import { eachService } from '@gatehouse/testkit/service'
import { exchangeCode, makeApplication, signUp, tokensFor, userinfo } from '../oauth/oauth-testing.ts'
import { createFixture } from './applications-testing.ts'

const body = { name: 'Site', type: 'confidential' }
const roll = { name: 'roll', description: 'Rolls dice' }

eachService('POST /api/applications 201: omitted fields are empty', async (_t, service) => {
  const { client } = await signUp(service, 'ada')
  const created = await client.json('POST', '/api/applications', { ...body, name: '  Site  ' })
  assert.equal(created.status, 201, created.text)
  const { id, publicKey, clientSecret, createdAt, ...rest } = created.body
  assert.match(id, /^\d{19}$/)
  assert.match(publicKey, /^[0-9a-f]{64}$/)
  assert.match(clientSecret, /^gcs_/)
  assert.equal(createdAt, new Date(service.clock.now()).toISOString())
  assert.deepEqual(rest, {
    name: 'Site',
    description: '',
    icon: null,
    type: 'confidential',
    redirectUris: [],
    allowLoopbackPort: false,
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    interactionsEndpointUrl: null,
    interactionsEndpointFormat: 'native',
    privilegedIntents: [],
    server: null,
    emailRequired: false,
    emailVerifiedOnly: false,
    defaultScopes: [],
    addedScopes: [],
    refreshGrace: false,
    public: false,
    bot: null,
    notRegistered: [],
  })
})

eachService('POST /api/applications 400, 415', async (_t, service) => {
  const { client } = await signUp(service, 'ada')
  for (const wrong of [
    {},
    [],
    { name: 'Site' },
    { type: 'public' },
    { ...body, description: 'x'.repeat(1001) },
  ]) {
    const reply = await client.json('POST', '/api/applications', wrong)
    assert.equal(reply.status, 400, JSON.stringify(wrong))
    assert.equal(reply.body.code, 'validation_failed')
  }
  const json = { 'content-type': 'application/json' }
  const malformed = await client.send('/api/applications', { method: 'POST', headers: json, body: '{"name"' })
  assert.equal(malformed.status, 400)
  assert.equal(malformed.body.code, 'malformed_json')
  assert.equal((await client.form('/api/applications', body)).status, 415)
  assert.deepEqual((await client.get('/api/applications')).body, [])
})

eachService(
  'POST /api/applications 403: REQUIRE_VERIFIED_EMAIL requires a verified email address (community/unverified-email)',
  async (_t, service) => {
    const { client } = await signUp(service, 'ada')
    const reply = await client.json('POST', '/api/applications', body)
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'email_not_verified')
  },
  { env: { REQUIRE_VERIFIED_EMAIL: 'on' } },
)

eachService('GET /api/applications 200: the applications of the user, oldest first', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const ids: string[] = []
  for (const name of ['B', 'A', 'C']) ids.push((await makeApplication(ada, { name })).id)
  const reply = await ada.client.get('/api/applications')
  assert.equal(reply.status, 200)
  assert.deepEqual(
    reply.body.map((application: { id: string }) => application.id),
    ids,
  )
  assert.equal(reply.text.includes('gcs_'), false)
})

eachService('GET /api/applications/:id 200, 404', async (_t, service) => {
  const { owner, outsider, path, application, botId } = await createFixture(service)
  const { body, status } = await owner.client.get(path)
  assert.equal(status, 200)
  assert.equal(body.id, application.id)
  assert.equal(body.bot.id, botId)
  assert.equal('clientSecret' in body, false)
  for (const url of [path, '/api/applications/1573634452968439808', '/api/applications/nonsense']) {
    assert.equal((await outsider.client.get(url)).status, 404, url)
  }
})

eachService('PATCH /api/applications/:id 400', async (_t, service) => {
  const { owner, path } = await createFixture(service)
  const before = (await owner.client.get(path)).body
  for (const [change, code] of [
    [{ name: '' }, 'validation_failed'],
    [{ type: 'public' }, 'validation_failed'],
    [{ bot: null }, 'validation_failed'],
    [{ name: 'Ok', redirectUris: ['http://site.example/'] }, 'validation_failed'],
    [{ redirectUris: [7] }, 'validation_failed'],
    [{ name: null }, 'validation_failed'],
    [{ description: 'a\u0000b' }, 'validation_failed'],
    [{ allowLoopbackPort: true }, 'validation_failed'],
    [{ privilegedIntents: ['messages'] }, 'validation_failed'],
    [{ privilegedIntents: 'members' }, 'validation_failed'],
    [{ privilegedIntents: null }, 'validation_failed'],
    [{ emailRequired: null }, 'validation_failed'],
    [{ refreshGrace: 10 }, 'validation_failed'],
    [{ defaultScopes: 'identify email' }, 'validation_failed'],
    [{ defaultScopes: ['profile'] }, 'validation_failed'],
    [{ defaultScopes: ['bot'] }, 'validation_failed'],
    [{ addedScopes: null }, 'validation_failed'],
    [{ addedScopes: ['applications.commands'] }, 'validation_failed'],
    [{ addedScopes: Array.from({ length: 11 }, () => 'email') }, 'validation_failed'],
    [{ redirectUris: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`) }, 'redirect_uri_limit'],
  ] as const) {
    const reply = await owner.client.json('PATCH', path, change)
    assert.equal(reply.status, 400, reply.text)
    assert.equal(reply.body.code, code, JSON.stringify(change))
  }
  assert.deepEqual((await owner.client.get(path)).body, before)
})

eachService('concurrent changes of different fields all persist', async (_t, service) => {
  const { owner, path } = await createFixture(service)
  for (let turn = 0; turn < 10; turn++) {
    const changes = {
      name: `Name ${turn}`,
      description: `Description ${turn}`,
      redirectUris: [`https://site.example/${turn}`],
    }
    const replies = await Promise.all(
      Object.entries(changes).map(([field, value]) => owner.client.json('PATCH', path, { [field]: value })),
    )
    for (const reply of replies) assert.equal(reply.status, 200, reply.text)
    const { name, description, redirectUris } = (await owner.client.get(path)).body
    assert.deepEqual({ name, description, redirectUris }, changes)
  }
})

eachService('DELETE /api/applications/:id 204, 404', async (_t, service) => {
  const { owner, path } = await createFixture(service)
  const reply = await owner.client.json('DELETE', path)
  assert.equal(reply.status, 204)
  assert.equal(reply.text, '')
  assert.equal((await owner.client.json('DELETE', path)).status, 404)
})

eachService(
  'deleting an application deletes its bot, commands, integrations, tokens and icon',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const { owner, member, application, path, serverId, channelId, botId } = fixture
    await fixture.install('bot applications.commands')
    assert.equal((await fixture.bot('PUT', '/api/applications/@me/commands', [roll])).status, 200)
    const message = await fixture.bot('POST', `/api/channels/${channelId}/messages`, { content: 'Hello' })
    assert.equal(message.status, 201, message.text)
    const icon = await owner.client.send(`${path}/icon`, {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: png,
    })
    assert.equal((await owner.client.get(icon.body.icon)).headers.get('content-type'), 'image/png')
    const { access_token } = await tokensFor(service, member, application)

    assert.equal((await owner.client.json('DELETE', path)).status, 204)
    assert.equal((await userinfo(service, access_token)).status, 401)
    assert.equal((await fixture.bot('GET', '/api/users/@me')).status, 401)
    assert.equal((await exchangeCode(service, application, 'gac_x')).status, 401)
    assert.equal((await member.client.get(`/api/servers/${serverId}/members/${botId}`)).status, 404)
    assert.deepEqual((await member.client.get(`/api/channels/${channelId}/commands`)).body, [])
    assert.deepEqual((await member.client.get(`/api/servers/${serverId}/integrations`)).body, [])
    assert.deepEqual((await member.client.get('/api/users/@me/authorizations')).body, [])
    const roles = (await member.client.get(`/api/servers/${serverId}/roles`)).body
    assert.deepEqual(
      roles.filter((role: { managed: boolean }) => role.managed),
      [],
    )
    // The messages of the bot remain and have an author.
    const remaining = await member.client.get(`/api/channels/${channelId}/messages/${message.body.id}`)
    assert.equal(remaining.status, 200)
    assert.equal(remaining.body.author.id, botId)
    assert.equal(remaining.body.author.displayName, 'Deleted bot')
    // The username of the bot is available again.
    assert.equal((await owner.client.get(icon.body.icon)).headers.get('content-type'), 'image/svg+xml')
    const next = await makeApplication(owner)
    const again = await owner.client.json('POST', `/api/applications/${next.id}/bot`, { username: 'dice' })
    assert.equal(again.status, 201, again.text)
  },
)

eachService('only the responses to creation and reset contain the client secret', async (_t, service) => {
  const { client: ana } = await signUp(service, 'ana')
  const created = await ana.json('POST', '/api/applications', {
    name: 'Site',
    type: 'confidential',
    redirectUris: ['https://site.example/cb'],
  })
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('cache-control'), 'no-store')
  assert.match(created.body.clientSecret, /^gcs_[0-9A-Za-z]{49}$/)
  assert.match(created.body.publicKey, /^[0-9a-f]{64}$/)
  assert.equal(created.body.bot, null)
  const { clientSecret, ...rest } = created.body
  assert.deepEqual((await ana.json('GET', `/api/applications/${rest.id}`)).body, rest)
  assert.deepEqual((await ana.json('GET', '/api/applications')).body, [rest])
  const reset = await ana.json('POST', `/api/applications/${rest.id}/secret`)
  assert.equal(reset.status, 200)
  assert.match(reset.body.clientSecret, /^gcs_/)
  assert.notEqual(reset.body.clientSecret, clientSecret)
  assert.equal(service.log.join('').includes(clientSecret), false)
})

eachService('a public application has no client secret (sign-in/client-types)', async (_t, service) => {
  const { client: ana } = await signUp(service, 'ana')
  const created = await ana.json('POST', '/api/applications', {
    name: 'App',
    type: 'public',
    allowLoopbackPort: true,
  })
  assert.equal(created.status, 201)
  assert.equal('clientSecret' in created.body, false)
  assert.equal((await ana.json('POST', `/api/applications/${created.body.id}/secret`)).status, 404)
})

eachService('rejects invalid applications with the path of the field error', async (_t, service) => {
  const { client: ana } = await signUp(service, 'ana')
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

eachService(
  'PATCH switches privileged intents on and off, which are off at first (gateway/privileged-intents)',
  async (_t, service) => {
    const { owner, path } = await createFixture(service)
    assert.deepEqual((await owner.client.get(path)).body.privilegedIntents, [])
    const change = async (privilegedIntents: string[]) => {
      const reply = await owner.client.json('PATCH', path, { privilegedIntents })
      assert.deepEqual([reply.status, (await owner.client.get(path)).body], [200, reply.body])
      return reply.body.privilegedIntents
    }
    assert.deepEqual(await change(['messageContent', 'members', 'members']), ['members', 'messageContent'])
    assert.deepEqual(await change(['messageContent']), ['messageContent'])
    assert.deepEqual((await owner.client.json('PATCH', path, { name: 'New' })).body.privilegedIntents, [
      'messageContent',
    ])
    assert.deepEqual(await change([]), [])
  },
)

eachService(
  'PATCH changes the settings of the sign-in, whose scopes are stored once and in one order',
  async (_t, service) => {
    const { owner, path } = await createFixture(service)
    const before = (await owner.client.get(path)).body
    const on = {
      emailRequired: true,
      defaultScopes: ['openid', 'identify', 'email', 'openid'],
      addedScopes: ['groups', 'servers.members.read', 'servers', 'groups'],
      refreshGrace: true,
    }
    const stored = {
      ...on,
      defaultScopes: ['identify', 'email', 'openid'],
      addedScopes: ['servers', 'servers.members.read', 'groups'],
    }
    const changed = await owner.client.json('PATCH', path, on)
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(changed.body, { ...before, ...stored })
    assert.deepEqual((await owner.client.get(path)).body, changed.body)
    for (const [field, value] of [
      ['emailRequired', false],
      ['defaultScopes', []],
      ['addedScopes', []],
      ['refreshGrace', false],
    ] as const) {
      assert.deepEqual((await owner.client.json('PATCH', path, { [field]: value })).body[field], value)
    }
    assert.deepEqual((await owner.client.get(path)).body, before)
  },
)

eachService('PATCH changes only the given fields', async (_t, service) => {
  const { client: ana } = await signUp(service, 'ana')
  const { body } = await ana.json('POST', '/api/applications', {
    name: 'Site',
    type: 'public',
    redirectUris: ['https://site.example/cb'],
  })
  const path = `/api/applications/${body.id}`
  const changed = await ana.json('PATCH', path, { description: 'Signs people in.' })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.body, { ...body, description: 'Signs people in.' })
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

eachService(
  'POST /api/applications 409: a user has at most 25 applications (limits/cap-exact)',
  async (_t, service) => {
    const { client, id: ownerId } = await signUp(service, 'ada')
    await service.db.transaction(async tx => {
      for (const id of oldIds(24)) {
        await tx.run`
        INSERT INTO applications (id, owner_id, name, description, type, redirect_uris, allow_loopback_port,
          post_logout_redirect_uris, public_key, private_key_sealed, public_bot, privileged_intents, commands_version,
          created_at)
        VALUES (${id}, ${ownerId}, 'Old', '', 'public', '[]', 0, '[]', '', '', 0, '[]', 0, 0)`
      }
    })
    const create = () => client.json('POST', '/api/applications', body)
    await assertOneLeft(service, 'applications', create, {
      limit: 'applications',
      message: 'A user has at most 25 applications.',
    })
    const { body: applications } = await client.get('/api/applications')
    assert.equal(applications.length, 25)
    assert.equal((await client.json('DELETE', `/api/applications/${applications[24].id}`)).status, 204)
    assert.equal((await create()).status, 201)
  },
)
