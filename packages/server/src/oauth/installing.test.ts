import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachService, type Reply } from '../testing.ts'
import {
  authorizePath,
  decide,
  exchangeCode,
  follow,
  locationOf,
  makeApplication,
  parametersOf,
  signUp,
  type TestPerson,
} from './testing.ts'

const { VIEW_CHANNEL, SEND_MESSAGES, MANAGE_SERVER, MANAGE_ROLES, BAN_MEMBERS } = Permission

/** Only the bot: neither response_type nor redirect_uri. */
const botOnly = {
  scope: 'bot applications.commands',
  redirect_uri: undefined,
  response_type: undefined,
  state: undefined,
}

async function makeServer(owner: TestPerson, name: string): Promise<string> {
  const reply = await owner.client.json('POST', '/api/servers', { name })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

/** A member with a role of these permissions. */
async function join(
  owner: TestPerson,
  serverId: string,
  person: TestPerson,
  permissions: bigint,
): Promise<void> {
  const invite = await owner.client.json('POST', `/api/servers/${serverId}/invites`, {})
  assert.equal((await person.client.json('POST', `/api/invites/${invite.body.code}`)).status, 200)
  const role = await owner.client.json('POST', `/api/servers/${serverId}/roles`, {
    name: 'helpers',
    permissions: permissions.toString(),
  })
  assert.equal(role.status, 201, role.text)
  const given = await owner.client.json(
    'PUT',
    `/api/servers/${serverId}/members/${person.id}/roles/${role.body.id}`,
  )
  assert.equal(given.status, 204, given.text)
}

async function integrations(person: TestPerson, serverId: string): Promise<Reply['body']> {
  const reply = await person.client.get(`/api/servers/${serverId}/integrations`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

eachService('D23: a bot is added to the server that is chosen, and a page says so', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { name: 'Dice', bot: 'dice' })
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
  assert.equal((await ada.client.get('/api/users/@me/authorizations')).body.length, 0, 'no token, no consent')
})

eachService('D23: with a redirect_uri the answer goes there, without a code', async (_t, service) => {
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
})

eachService(
  'D23: beside other scopes the code covers those; permissions that are not said are 0 (D68)',
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
    // A bot is never added silently, whatever is remembered.
    assert.equal((await ada.client.get(authorizePath(app, { scope: 'identify bot' }))).status, 200)
    const silent = await ada.client.get(authorizePath(app, { scope: 'identify bot', prompt: 'none' }))
    assert.equal(parametersOf(silent).error, 'interaction_required')
  },
)

eachService(
  'D23, D77: permissions are cut down to what the person holds, and the redirect says so',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(owner, { bot: 'dice' })
    const server = await makeServer(owner, 'First')
    await join(owner, server, ada, MANAGE_SERVER | MANAGE_ROLES)
    const asked = BAN_MEMBERS | SEND_MESSAGES | MANAGE_ROLES
    const page = await ada.client.get(authorizePath(app, { scope: 'bot', permissions: asked.toString() }))
    const parameters = parametersOf(await decide(ada.client, page, { server_id: server }))
    const granted = (SEND_MESSAGES | MANAGE_ROLES).toString()
    assert.equal(parameters.permissions, granted)
    assert.equal((await integrations(ada, server))[0].permissions, granted)
  },
)

eachService('only servers that the person manages are offered, and taken', async (_t, service) => {
  const owner = await signUp(service, 'owner')
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(owner, { bot: 'dice' })
  const foreign = await makeServer(owner, 'Foreign')
  await join(owner, foreign, ada, SEND_MESSAGES)
  const none = await ada.client.get(authorizePath(app, botOnly))
  assert.equal(none.status, 200)
  assert.doesNotMatch(none.text, /Foreign/)
  assert.match(none.text, /You manage no server/)
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

eachService('who cancels is sent back with access_denied, or to a page', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { bot: 'dice' })
  const server = await makeServer(ada, 'First')
  const no = { decision: 'deny', server_id: server }
  const back = await decide(ada.client, await ada.client.get(authorizePath(app, { scope: 'bot' })), no)
  assert.equal(parametersOf(back).error, 'access_denied')
  const page = await decide(ada.client, await ada.client.get(authorizePath(app, botOnly)), no)
  assert.match((await follow(ada.client, page)).text, /Nothing was added/)
  assert.equal((await integrations(ada, server)).length, 0)
})

eachService('D68: commands alone go where the bot is already', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { bot: 'dice' })
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
})

eachService('unknown permissions and a bot that does not exist are refused', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { bot: 'dice' })
  const none = await makeApplication(ada)
  for (const permissions of ['1', '-1', 'all', '99999999999999999999999', '0x8']) {
    const reply = await ada.client.get(authorizePath(app, { scope: 'bot', permissions }))
    assert.equal(parametersOf(reply).error, 'invalid_request', permissions)
    assert.equal((await ada.client.get(authorizePath(app, { ...botOnly, permissions }))).status, 400)
  }
  assert.equal(
    parametersOf(await ada.client.get(authorizePath(none, { scope: 'bot' }))).error,
    'invalid_scope',
  )
  assert.equal((await ada.client.get(authorizePath(none, botOnly))).status, 400)
  const nobody = await service.client().get(authorizePath(app, botOnly))
  assert.equal(locationOf(nobody).pathname, '/login')
})

eachService('the page at the end says nothing of what is not there', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { name: 'Dice', bot: 'dice' })
  const server = await makeServer(ada, 'First')
  for (const client of [ada.client, service.client()]) {
    const page = await client.get(`/oauth2/done?client_id=${app.id}&server_id=${server}`)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /Dice|First/)
  }
})
