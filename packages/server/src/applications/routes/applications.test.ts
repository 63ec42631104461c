import assert from 'node:assert/strict'
import { exchangeCode, makeApplication, signUp, tokensFor, userinfo } from '../../oauth/testing.ts'
import { eachService } from '../../testing.ts'
import { assertOwnerAlone, openConsole, png } from './testing.ts'

const body = { name: 'Site', type: 'confidential' }

eachService('POST /api/applications 201: what is left out is empty', async (_t, service) => {
  const { client } = await signUp(service, 'ada')
  const made = await client.json('POST', '/api/applications', { ...body, name: '  Site  ' })
  assert.equal(made.status, 201, made.text)
  const { id, publicKey, clientSecret, createdAt, ...rest } = made.body
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
    bot: null,
  })
})

eachService('POST /api/applications 400, 401, 403, 415', async (_t, service) => {
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
  assert.equal((await service.client().json('POST', '/api/applications', body)).status, 401)
  const crossed = await client.json('POST', '/api/applications', body, { 'sec-fetch-site': 'same-site' })
  assert.equal(crossed.status, 403)
  assert.equal(crossed.body.code, 'cross_site')
  assert.equal((await client.form('/api/applications', body)).status, 415)
  assert.deepEqual((await client.get('/api/applications')).body, [])
})

eachService(
  'POST /api/applications 403: with REQUIRE_VERIFIED_EMAIL the address is confirmed first (D49)',
  async (_t, service) => {
    const { client } = await signUp(service, 'ada')
    const reply = await client.json('POST', '/api/applications', body)
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'email_not_verified')
  },
  { env: { REQUIRE_VERIFIED_EMAIL: 'on' } },
)

eachService('GET /api/applications 200: own ones, oldest first; 401', async (_t, service) => {
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
  assert.equal((await service.client().get('/api/applications')).status, 401)
})

eachService('GET /api/applications/:id 200, 401, 404', async (_t, service) => {
  const at = await openConsole(service)
  const { owner, stranger, path, application, botId } = at
  const { body: shown, status } = await owner.client.get(path)
  assert.equal(status, 200)
  assert.equal(shown.id, application.id)
  assert.equal(shown.bot.id, botId)
  assert.equal('clientSecret' in shown, false)
  assert.equal((await service.client().get(path)).status, 401)
  assert.equal((await at.bot('GET', path)).status, 401)
  for (const address of [path, '/api/applications/1573634452968439808', '/api/applications/nonsense']) {
    assert.equal((await stranger.client.get(address)).status, 404, address)
  }
})

eachService('PATCH /api/applications/:id 400, 401, 403, 404', async (_t, service) => {
  const at = await openConsole(service)
  const { owner, path } = at
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
    [{ redirectUris: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`) }, 'redirect_uri_limit'],
  ] as const) {
    const reply = await owner.client.json('PATCH', path, change)
    assert.equal(reply.status, 400, reply.text)
    assert.equal(reply.body.code, code, JSON.stringify(change))
  }
  await assertOwnerAlone(at, service, (client, headers) =>
    client.json('PATCH', path, { name: 'Mine' }, headers),
  )
  assert.deepEqual((await owner.client.get(path)).body, before)
})

eachService('changes of different fields at once are all kept', async (_t, service) => {
  const { owner, path } = await openConsole(service)
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

eachService('DELETE /api/applications/:id 204, 401, 403, 404', async (_t, service) => {
  const at = await openConsole(service)
  const { owner, path } = at
  await assertOwnerAlone(at, service, (client, headers) => client.json('DELETE', path, undefined, headers))
  assert.equal((await owner.client.get(path)).status, 200)
  const reply = await owner.client.json('DELETE', path)
  assert.equal(reply.status, 204)
  assert.equal(reply.text, '')
  assert.equal((await owner.client.json('DELETE', path)).status, 404)
})

eachService('with an application everything goes that stood on it', async (_t, service) => {
  const at = await openConsole(service)
  const { owner, member, application, path, serverId, channelId, botId } = at
  await at.install('bot applications.commands')
  assert.equal((await at.bot('PUT', '/api/applications/@me/commands', [roll])).status, 200)
  const said = await at.bot('POST', `/api/channels/${channelId}/messages`, { content: 'Hello' })
  assert.equal(said.status, 201, said.text)
  const icon = await owner.client.send(`${path}/icon`, {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: png,
  })
  assert.equal((await owner.client.get(icon.body.icon)).headers.get('content-type'), 'image/png')
  const { access_token } = await tokensFor(service, member, application)

  assert.equal((await owner.client.json('DELETE', path)).status, 204)
  assert.equal((await userinfo(service, access_token)).status, 401)
  assert.equal((await at.bot('GET', '/api/users/@me')).status, 401)
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
  // What it said stays, and has an author.
  const kept = await member.client.get(`/api/channels/${channelId}/messages/${said.body.id}`)
  assert.equal(kept.status, 200)
  assert.equal(kept.body.author.id, botId)
  assert.equal(kept.body.author.displayName, 'Deleted bot')
  // Its picture and its username are free.
  assert.equal((await owner.client.get(icon.body.icon)).headers.get('content-type'), 'image/svg+xml')
  const next = await makeApplication(owner)
  const again = await owner.client.json('POST', `/api/applications/${next.id}/bot`, { username: 'dice' })
  assert.equal(again.status, 201, again.text)
})

const roll = { name: 'roll', description: 'Rolls dice' }
