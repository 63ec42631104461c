import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import {
  authorizePath,
  decide,
  exchangeCode,
  follow,
  locationOf,
  makeApplication,
  parametersOf,
  redirectUri,
  signUp,
} from './oauth-testing.ts'

const { VIEW_CHANNEL, SEND_MESSAGES, MANAGE_SERVER, MANAGE_ROLES, BAN_MEMBERS } = Permission

/** A request that only installs the bot: without response_type and redirect_uri. */
const botOnly = {
  scope: 'bot applications.commands',
  redirect_uri: undefined,
  response_type: undefined,
  state: undefined,
}

async function makeServer(owner: TestUser, name: string): Promise<string> {
  const reply = await owner.client.json('POST', '/api/servers', { name })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

/** Makes the user a member of the server, with a role that has the permissions. */
async function join(
  owner: TestUser,
  serverId: string,
  user: TestUser,
  permissions: bigint,
  position = 1,
): Promise<void> {
  const invite = await owner.client.json('POST', `/api/servers/${serverId}/invites`, {})
  assert.equal((await user.client.json('POST', `/api/invites/${invite.body.code}`)).status, 200)
  const role = await owner.client.json('POST', `/api/servers/${serverId}/roles`, {
    name: 'helpers',
    permissions: permissions.toString(),
    position,
  })
  assert.equal(role.status, 201, role.text)
  const given = await owner.client.json(
    'PUT',
    `/api/servers/${serverId}/members/${user.id}/roles/${role.body.id}`,
  )
  assert.equal(given.status, 204, given.text)
}

async function integrations(user: TestUser, serverId: string): Promise<TestResponse['body']> {
  const reply = await user.client.get(`/api/servers/${serverId}/integrations`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

eachService(
  'sign-in/bot-installation: the bot is added to the chosen server, and a page confirms it',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { name: 'Dice', bot: 'dice', redirectUris: [] })
    const first = await makeServer(ada, 'First & only')
    await makeServer(ada, 'Second')
    const permissions = VIEW_CHANNEL | SEND_MESSAGES
    const page = await ada.client.get(authorizePath(app, { ...botOnly, permissions: permissions.toString() }))
    assert.match(page.text, /First &amp; only/)
    assert.match(page.text, /Second/)
    assert.match(page.text, /Send messages/)
    assert.doesNotMatch(page.text, /Ban members/)
    const done = await follow(ada.client, await decide(ada.client, page, { server_id: first }))
    assert.equal(done.status, 200)
    assert.match(done.text, /Dice was added to First &amp; only\./)
    const [installed, ...others] = await integrations(ada, first)
    assert.equal(others.length, 0)
    assert.equal(installed.application.id, app.id)
    assert.equal(installed.bot.username, 'dice')
    assert.deepEqual(installed.scopes, ['bot', 'applications.commands'])
    assert.equal(installed.permissions, permissions.toString())
    assert.equal(
      (await ada.client.get('/api/users/@me/authorizations')).body.length,
      0,
      'no consent is recorded',
    )
  },
)

eachService(
  'sign-in/public-bots: only its owner adds a bot, until the bot is public',
  async (_t, service) => {
    const [ada, mallory] = [await signUp(service, 'ada'), await signUp(service, 'mallory')]
    const app = await makeApplication(ada, { name: 'Dice', bot: 'dice', redirectUris: [] })
    const path = `/api/applications/${app.id}`
    assert.equal((await ada.client.get(path)).body.public, false)
    const server = await makeServer(mallory, 'Trap')
    const add = () => mallory.client.get(authorizePath(app, botOnly))
    const refused = await add()
    assert.equal(refused.status, 400)
    assert.match(refused.text, /Only its owner can add the bot of Dice, because it is not public\./)

    const shared = await ada.client.json('PATCH', path, { public: true })
    assert.deepEqual([shared.status, shared.body.public], [200, true])
    const page = await add()
    assert.equal(page.status, 200, page.text)
    await ada.client.json('PATCH', path, { public: false })
    assert.equal((await decide(mallory.client, page, { server_id: server })).status, 400)
    assert.deepEqual(await integrations(mallory, server), [])

    await ada.client.json('PATCH', path, { public: true })
    assert.equal((await decide(mallory.client, page, { server_id: server })).status, 303)
    assert.equal((await integrations(mallory, server)).length, 1)
    await ada.client.json('PATCH', path, { public: false })
    assert.equal((await add()).status, 400, 'the bot is a member already')

    const site = await makeApplication(ada, { name: 'Site', bot: 'site' })
    const { error, state } = parametersOf(await mallory.client.get(authorizePath(site, { scope: 'bot' })))
    assert.deepEqual([error, state], ['access_denied', 'state of the application'])
  },
)

eachService(
  'sign-in/bot-installation-response: with a redirect_uri the response redirects there without a code',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { bot: 'dice' })
    const server = await makeServer(ada, 'First')
    const request = {
      scope: 'bot',
      response_type: undefined,
      permissions: SEND_MESSAGES.toString(),
      server_id: server,
    }
    const page = await ada.client.get(authorizePath(app, request))
    assert.match(page.text, new RegExp(`<option value="${server}" selected>`))
    const parameters = parametersOf(await decide(ada.client, page, { server_id: server }))
    assert.deepEqual(parameters, {
      server_id: server,
      permissions: SEND_MESSAGES.toString(),
      state: 'state of the application',
      iss: service.url,
    })
  },
)

eachService(
  'sign-in/bot-installation-response: an omitted redirect_uri is the only registered one, also for bots',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const server = await makeServer(ada, 'First')
    const app = await makeApplication(ada, { bot: 'dice' })
    const omitted = { ...botOnly, state: 'a state' }
    for (const scope of ['bot', 'applications.commands', 'bot applications.commands']) {
      const page = await ada.client.get(authorizePath(app, { ...omitted, scope }))
      const done = await decide(ada.client, page, { server_id: server })
      assert.ok(done.headers.get('location')?.startsWith(`${redirectUri}?`), scope)
      const expected = { server_id: server, permissions: '0', state: 'a state', iss: service.url }
      assert.deepEqual(parametersOf(done), expected, scope)
    }
    const two = await makeApplication(ada, { bot: 'wheel', redirectUris: [redirectUri, `${redirectUri}/2`] })
    const missing = await ada.client.get(authorizePath(two, omitted))
    assert.equal(missing.status, 400)
    assert.match(missing.text, /The request has no redirect URI/)
  },
)

eachService(
  'sign-in/bot-installation-refused: a refused installation redirects with access_denied and state',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(owner, { name: 'Dice', bot: 'dice', public: true })
    const foreign = await makeServer(owner, 'Foreign')
    await join(owner, foreign, ada, SEND_MESSAGES)
    const assertRefused = (reply: TestResponse, description: string) => {
      assert.ok(reply.headers.get('location')?.startsWith(`${redirectUri}?`), reply.text)
      assert.deepEqual(parametersOf(reply), {
        error: 'access_denied',
        error_description: description,
        state: 'a state',
        iss: service.url,
      })
    }
    for (const redirect_uri of [redirectUri, undefined]) {
      const request = (scope: string) => authorizePath(app, { scope, redirect_uri, state: 'a state' })
      const page = await ada.client.get(request('bot'))
      assertRefused(await decide(ada.client, page), 'Select the server to add the application to.')
      const posted = await decide(ada.client, page, { server_id: foreign })
      assertRefused(posted, 'You do not manage the selected server.')
      const withCode = await ada.client.get(request('identify bot'))
      const denied = await decide(ada.client, withCode, { server_id: foreign })
      assertRefused(denied, 'You do not manage the selected server.')
      const commands = await ada.client.get(request('applications.commands'))
      assertRefused(commands, 'The bot of Dice is not on any server that you manage.')
      const forged = await decide(ada.client, page, { token: 'x', server_id: foreign })
      assert.equal(forged.status, 403)
      assert.equal(forged.headers.get('location'), null)
    }
    assert.deepEqual((await ada.client.get('/api/users/@me/authorizations')).body, [])
  },
)

eachService(
  'sign-in/bot-installation: a code is issued for the other scopes; permissions default to 0 (sign-in/commands-scope)',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { bot: 'dice' })
    const server = await makeServer(ada, 'First')
    const page = await ada.client.get(authorizePath(app, { scope: 'identify bot email' }))
    const parameters = parametersOf(await decide(ada.client, page, { server_id: server, allow: [] }))
    assert.equal(parameters.server_id, server)
    assert.equal(parameters.permissions, '0')
    const tokens = await exchangeCode(service, app, parameters.code ?? '')
    assert.equal(tokens.body.scope, 'identify')
    // The installation of a bot always shows the page.
    assert.equal((await ada.client.get(authorizePath(app, { scope: 'identify bot' }))).status, 200)
    const silent = await ada.client.get(authorizePath(app, { scope: 'identify bot', prompt: 'none' }))
    assert.equal(parametersOf(silent).error, 'interaction_required')
  },
)

eachService(
  'sign-in/bot-installation, sign-in/bot-installation-response: the bot gets only ' +
    'permissions that the user has, and the redirect contains them',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(owner, { bot: 'dice', public: true })
    const server = await makeServer(owner, 'First')
    await join(owner, server, ada, MANAGE_SERVER | MANAGE_ROLES)
    const requested = BAN_MEMBERS | SEND_MESSAGES | MANAGE_ROLES
    const page = await ada.client.get(authorizePath(app, { scope: 'bot', permissions: requested.toString() }))
    const parameters = parametersOf(await decide(ada.client, page, { server_id: server }))
    const granted = (SEND_MESSAGES | MANAGE_ROLES).toString()
    assert.equal(parameters.permissions, granted)
    assert.equal((await integrations(ada, server))[0].permissions, granted)
  },
)

eachService(
  'an installed bot gets other permissions only if the user may change its role (community/permission-hierarchy)',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(owner, { name: 'Dice', bot: 'dice', redirectUris: [], public: true })
    const server = await makeServer(owner, 'First')
    const add = async (user: TestUser, permissions: bigint) => {
      const request = { ...botOnly, scope: 'bot', permissions: permissions.toString() }
      const page = await user.client.get(authorizePath(app, request))
      return decide(user.client, page, { server_id: server })
    }
    const roles = `/api/servers/${server}/roles`
    const roleOfBot = async () => {
      const found = (await owner.client.get(roles)).body.find(({ managed }: { managed: boolean }) => managed)
      assert.ok(found)
      return found
    }
    assert.equal((await add(owner, BAN_MEMBERS | SEND_MESSAGES)).status, 303)
    const { id } = await roleOfBot()
    await owner.client.json('PATCH', `${roles}/${id}`, { position: 5 })
    await join(owner, server, ada, MANAGE_SERVER, 2)
    const assertForbidden = async (reply: TestResponse, reason: RegExp) => {
      assert.equal(reply.status, 403, reply.text)
      assert.match(reply.text, /You cannot change the permissions of Dice on this server\./)
      assert.match(reply.text, reason)
      const permissions = (BAN_MEMBERS | SEND_MESSAGES).toString()
      assert.equal((await roleOfBot()).permissions, permissions)
      assert.equal((await integrations(owner, server))[0].permissions, permissions)
    }
    await assertForbidden(await add(ada, 0n), /The role is higher than your highest role\./)
    await assertForbidden(await add(ada, SEND_MESSAGES), /The role is higher than your highest role\./)
    await owner.client.json('PATCH', `${roles}/${id}`, { position: 1 })
    await assertForbidden(await add(ada, 0n), /You do not have: BAN_MEMBERS\./)
    await owner.client.json('PATCH', `${roles}/${id}`, { permissions: SEND_MESSAGES.toString() })
    assert.equal((await add(ada, 0n)).status, 303)
    assert.equal((await roleOfBot()).permissions, '0')
    // The permissions do not change, so the hierarchy does not matter.
    await owner.client.json('PATCH', `${roles}/${id}`, { position: 5 })
    assert.equal((await add(ada, 0n)).status, 303)
  },
)

eachService('only servers that the user manages are offered and accepted', async (_t, service) => {
  const owner = await signUp(service, 'owner')
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(owner, { bot: 'dice', redirectUris: [], public: true })
  const foreign = await makeServer(owner, 'Foreign')
  await join(owner, foreign, ada, SEND_MESSAGES)
  const none = await ada.client.get(authorizePath(app, botOnly))
  assert.equal(none.status, 200)
  assert.doesNotMatch(none.text, /Foreign/)
  assert.match(none.text, /You do not manage a server/)
  const own = await makeServer(ada, 'Own')
  const page = await ada.client.get(authorizePath(app, botOnly))
  for (const id of [foreign, '1234567890123456789', 'x', '']) {
    const reply = await decide(ada.client, page, { server_id: id })
    assert.equal(reply.status, 400, id)
    assert.equal(reply.headers.get('location'), null)
  }
  assert.equal((await integrations(owner, foreign)).length, 0)
  assert.equal((await decide(ada.client, page, { server_id: own })).status, 303)
})

eachService(
  'cancelling redirects with access_denied, or to a page without a redirect_uri',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { bot: 'dice' })
    const none = await makeApplication(ada, { bot: 'wheel', redirectUris: [] })
    const server = await makeServer(ada, 'First')
    const denial = { decision: 'deny', server_id: server }
    for (const more of [{ scope: 'bot' }, botOnly]) {
      const back = await decide(ada.client, await ada.client.get(authorizePath(app, more)), denial)
      assert.equal(parametersOf(back).error, 'access_denied')
    }
    const page = await decide(ada.client, await ada.client.get(authorizePath(none, botOnly)), denial)
    assert.match((await follow(ada.client, page)).text, /Nothing was added/)
    assert.equal((await integrations(ada, server)).length, 0)
  },
)

eachService(
  'sign-in/commands-scope: commands without the bot can be added only where the bot is a member',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { bot: 'dice', redirectUris: [] })
    const [first, second] = [await makeServer(ada, 'First'), await makeServer(ada, 'Second')]
    const commands = { ...botOnly, scope: 'applications.commands' }
    const nowhere = await ada.client.get(authorizePath(app, commands))
    assert.equal(nowhere.status, 400)
    const bot = await ada.client.get(authorizePath(app, { ...botOnly, scope: 'bot', permissions: '2048' }))
    await decide(ada.client, bot, { server_id: first })
    const page = await ada.client.get(authorizePath(app, commands))
    assert.match(page.text, /First/)
    assert.doesNotMatch(page.text, /Second/)
    assert.equal((await decide(ada.client, page, { server_id: second })).status, 400)
    assert.equal((await decide(ada.client, page, { server_id: first })).status, 303)
    const [installed] = await integrations(ada, first)
    assert.deepEqual(installed.scopes, ['bot', 'applications.commands'])
    assert.equal(installed.permissions, '2048')
  },
)

eachService('unknown permissions and a missing bot are rejected', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { bot: 'dice' })
  const none = await makeApplication(ada)
  const pages = await makeApplication(ada, { bot: 'wheel', redirectUris: [] })
  for (const permissions of ['256', '-1', 'all', '99999999999999999999999', '0x8']) {
    const reply = await ada.client.get(authorizePath(app, { scope: 'bot', permissions }))
    assert.equal(parametersOf(reply).error, 'invalid_request', permissions)
    assert.equal((await ada.client.get(authorizePath(pages, { ...botOnly, permissions }))).status, 400)
  }
  assert.equal(
    parametersOf(await ada.client.get(authorizePath(none, { scope: 'bot' }))).error,
    'invalid_scope',
  )
  assert.equal(parametersOf(await ada.client.get(authorizePath(none, botOnly))).error, 'invalid_scope')
  const anonymous = await service.client().get(authorizePath(app, botOnly))
  assert.equal(locationOf(anonymous).pathname, '/login')
})

eachService(
  'the last page does not disclose names if the application is not installed',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { name: 'Dice', bot: 'dice' })
    const server = await makeServer(ada, 'First')
    for (const client of [ada.client, service.client()]) {
      const page = await client.get(`/oauth2/done?client_id=${app.id}&server_id=${server}`)
      assert.equal(page.status, 200)
      assert.doesNotMatch(page.text, /Dice|First/)
    }
  },
)

eachService(
  'a banned bot is removed with its role and integration, and cannot be added again (community/bans)',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const serverId = await makeServer(owner, 'Club')
    const path = `/api/servers/${serverId}`
    const bot = await createBotApplication(owner.client, { name: 'Dice', redirectUris: [redirectUri] })
    await addBot(owner.client, bot.applicationId, serverId)
    assert.equal((await owner.client.json('PUT', `${path}/bans/${bot.botId}`, {})).status, 204)
    assert.deepEqual(await integrations(owner, serverId), [])
    const roles: { managed: boolean }[] = (await owner.client.get(`${path}/roles`)).body
    assert.ok(roles.every(role => !role.managed))
    const application = { id: bot.applicationId, secret: bot.clientSecret, redirectUri }
    const consent = await owner.client.get(authorizePath(application, { scope: 'bot', permissions: '0' }))
    const refused = parametersOf(await decide(owner.client, consent, { server_id: serverId }))
    assert.equal(refused.error, 'access_denied')
    assert.equal(refused.error_description, 'The bot of Dice is banned from this server.')
    assert.deepEqual(await integrations(owner, serverId), [])
  },
)

eachService(
  'sign-in/bot-installation-refused: without a redirect URI, a banned bot is an error page and no error in the log',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const serverId = await makeServer(owner, 'Club')
    const bot = await createBotApplication(owner.client, { name: 'Dice', redirectUris: [] })
    assert.equal(
      (await owner.client.json('PUT', `/api/servers/${serverId}/bans/${bot.botId}`, {})).status,
      204,
    )
    const page = await owner.client.get(
      `/oauth2/authorize?client_id=${bot.applicationId}&scope=bot&permissions=0`,
    )
    const refused = await decide(owner.client, page, { server_id: serverId })
    assert.equal(refused.status, 403)
    assert.match(refused.text, /banned from this server/)
    assert.doesNotMatch(service.log.join(''), /undeclared error/)
  },
)
