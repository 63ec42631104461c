import assert from 'node:assert/strict'
import { defaultEveryone, Permission } from '@gatehouse/protocol/permissions'
import { createServer } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { allow, makeApplication, signUp, tokensFor } from '../oauth/oauth-testing.ts'

/** A bot with EMBED_LINKS and KICK_MEMBERS on a server of its owner. */
async function setUpBot(service: TestService) {
  const [owner, other] = [await signUp(service, 'ann'), await signUp(service, 'bob')]
  const { server, general } = await createServer(owner, other)
  const application = await makeApplication(owner)
  const made = await owner.client.json('POST', `/api/applications/${application.id}/bot`, {
    username: 'robot',
  })
  const permissions = String(Permission.EMBED_LINKS | Permission.KICK_MEMBERS)
  await allow(owner, application, { scope: 'bot', permissions }, { server_id: server.id })
  return {
    owner,
    other,
    server,
    general,
    bot: made.body.bot,
    headers: { authorization: `Bot ${made.body.token}` },
  }
}

eachService('GET /api/users/@me/servers for a bot: 200', async (_t, service) => {
  const { server, headers } = await setUpBot(service)
  const reply = await service.client().get('/api/users/@me/servers', headers)
  assert.equal(reply.status, 200)
  const permissions = String(defaultEveryone | Permission.KICK_MEMBERS)
  assert.deepEqual(reply.body, [{ id: server.id, name: 'Server', icon: null, owner: false, permissions }])
})

eachService(
  'a page of another origin may read what its access token allows (sign-in/cors)',
  async (_t, service) => {
    const ann = await signUp(service, 'ann')
    const application = await makeApplication(ann)
    const { access_token } = await tokensFor(service, ann, application, { scope: 'identify servers' })
    const origin = 'https://app.example'
    for (const path of ['/api/users/@me', '/api/users/@me/servers']) {
      const preflight = await service.client().send(path, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      })
      assert.equal(preflight.status, 204)
      assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
      assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET')
      assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization/)
      for (const [token, status] of [
        [access_token, 200],
        ['gat_x', 401],
      ] as const) {
        const reply = await service.client().get(path, { authorization: `Bearer ${token}`, origin })
        assert.equal(reply.status, status)
        assert.equal(reply.headers.get('access-control-allow-origin'), '*')
        assert.equal(reply.headers.get('access-control-allow-credentials'), null)
      }
    }
  },
)

eachService(
  'GET /api/users/@me/servers for an application: 200 with the scope servers',
  async (_t, service) => {
    const ann = await signUp(service, 'ann')
    const { server } = await createServer(ann)
    const application = await makeApplication(ann)
    const { access_token } = await tokensFor(service, ann, application, { scope: 'identify servers' })
    const authorization = `Bearer ${access_token}`
    const granted = await service.client().get('/api/users/@me/servers', { authorization })
    assert.equal(granted.status, 200)
    assert.equal(granted.body[0].id, server.id)
  },
)

eachService(
  'sign-in/member-of-server: an application with the scope servers.members.read reads the user as a member',
  async (_t, service) => {
    const [ann, bob] = [await signUp(service, 'ann'), await signUp(service, 'bob')]
    const { server } = await createServer(ann, bob)
    const { server: other } = await createServer(ann)
    const body = { name: 'Player', permissions: '0' }
    const { id: roleId } = await ann.client.call('createRole', { id: server.id, body })
    await ann.client.call('addMemberRole', { id: server.id, userId: bob.id, roleId })
    const path = `/api/users/@me/servers/${server.id}/member`
    const application = await makeApplication(ann)
    const read = async (scope: string, from = path) => {
      const { access_token: token } = await tokensFor(service, bob, application, { scope })
      return service.client().get(from, { authorization: `Bearer ${token}` })
    }
    const granted = await read('servers.members.read')
    assert.equal(granted.status, 200, granted.text)
    assert.deepEqual([granted.body.user.id, granted.body.roles], [bob.id, [roleId]])
    assert.deepEqual((await bob.client.get(path)).body, granted.body)
    assert.equal((await read('identify servers')).body.code, 'missing_scope')
    const foreign = `/api/users/@me/servers/${other.id}/member`
    assert.equal((await read('servers.members.read', foreign)).status, 404)
    assert.equal((await bob.client.get(foreign)).status, 404)
  },
)

eachService(
  'a bot sends, reads, edits and deletes messages over HTTP (bots/bot-is-member)',
  async (_t, service) => {
    const { owner, server, general, bot, headers } = await setUpBot(service)
    const messages = `/api/channels/${general.id}/messages`
    const client = service.client()
    const body = { content: 'hello', embeds: [{ title: 'Card' }], nonce: 'n-1' }
    const made = await client.json('POST', messages, body, headers)
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.body.author, bot)
    assert.deepEqual(made.body.embeds, body.embeds)
    assert.equal((await client.json('POST', messages, body, headers)).body.id, made.body.id)
    assert.equal(
      (await client.json('POST', messages, { embeds: [{}] }, headers)).body.errors[0].path,
      'embeds[0]',
    )

    const path = `${messages}/${made.body.id}`
    const edited = await client.json('PATCH', path, { embeds: [] }, headers)
    assert.equal(edited.status, 200)
    assert.deepEqual(edited.body.embeds, [])
    assert.deepEqual((await owner.client.get(path)).body, edited.body)
    assert.deepEqual((await client.get(messages, headers)).body, [edited.body])
    assert.deepEqual((await client.get(path, headers)).body, edited.body)
    assert.equal((await client.json('DELETE', path, undefined, headers)).status, 204)

    assert.equal(
      (await owner.client.json('DELETE', `/api/servers/${server.id}/members/${bot.id}`)).status,
      204,
    )
    assert.equal((await client.json('POST', messages, body, headers)).status, 404)
  },
)

eachService('POST /api/users/@me/channels for a bot: 200, 201, 404 (bots/bot-may)', async (_t, service) => {
  const { owner, headers } = await setUpBot(service)
  const eve = await signUp(service, 'eve')
  const client = service.client()
  const open = (recipientId: string) =>
    client.json('POST', '/api/users/@me/channels', { recipientId }, headers)
  const made = await open(owner.id)
  assert.equal(made.status, 201)
  assert.equal(made.body.recipient.id, owner.id)
  assert.equal((await open(owner.id)).status, 200)
  assert.equal((await open(eve.id)).status, 404)
  const messages = `/api/channels/${made.body.id}/messages`
  const sent = await client.json('POST', messages, { embeds: [{ title: 'Card' }] }, headers)
  assert.equal(sent.status, 201)
  assert.equal(sent.body.serverId, null)
  assert.deepEqual((await owner.client.get(messages)).body, [sent.body])
})
