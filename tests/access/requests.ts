import assert from 'node:assert/strict'
import type { Session } from '@gatehouse/protocol/users'
import { createApplication } from '@gatehouse/testkit/applications'
import { png } from '@gatehouse/testkit/images'
import { codeFor } from '@gatehouse/testkit/oauth'
import { commands, newUser, signIn, uniqueName, type World } from './world.ts'

/** What a request of a route has besides its method. The parameters of the path are ids of the world by default. */
export interface Parts {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** JSON, or a PNG. */
  body?: unknown
  form?: Readonly<Record<string, string | undefined>>
  /** The page with the form. Its hidden fields are sent too. */
  page?: string
}

/** Creates what the request is about, for each request. `column` is that of the table. */
type Prepare = (world: World, column: string) => Promise<Parts>

async function create(world: World, path: string, body: object = {}): Promise<Record<string, string>> {
  return world.users.owner.client.request('POST', path, body)
}

async function channel(world: World) {
  const { id = '' } = await create(world, `/api/servers/${world.serverId}/channels`, { name: 'channel' })
  return { params: { id, channelId: id } }
}

async function role(world: World) {
  const body = { name: 'low', permissions: '0' }
  const { id = '' } = await create(world, `/api/servers/${world.serverId}/roles`, body)
  return { params: { roleId: id } }
}

async function heldRole(world: World) {
  const { params } = await role(world)
  const member = `/api/servers/${world.serverId}/members/${world.users.target.id}`
  await world.users.owner.client.request('PUT', `${member}/roles/${params.roleId}`)
  return { params }
}

async function invite(world: World) {
  const { code = '' } = await create(world, `/api/servers/${world.serverId}/invites`)
  return { params: { code } }
}

async function message(world: World) {
  const { id = '' } = await create(world, `/api/channels/${world.channelId}/messages`, { content: 'Hello' })
  return { params: { messageId: id } }
}

async function webhook(world: World, column = '') {
  const { params } = await channel(world)
  const created = await create(world, `/api/channels/${params.id}/webhooks`, { name: 'Builds' })
  const { id = '', token = '' } = created
  return { params: { ...params, id, token: column === 'wrong' ? `${token.slice(0, -1)}!` : token } }
}

async function webhookMessage(world: World, column: string) {
  const { params } = await webhook(world)
  const path = `/api/webhooks/${params.id}/${params.token}?wait=true`
  const { id = '' } = await create(world, path, { content: 'Build 7' })
  return { params: { ...params, token: column === 'wrong' ? 'x' : params.token, messageId: id } }
}

/** The target is a member. */
async function rejoin(world: World) {
  const { owner, target } = world.users
  const path = `/api/servers/${world.serverId}`
  await owner.client.json('DELETE', `${path}/bans/${target.id}`)
  const { params } = await invite(world)
  await target.client.json('POST', `/api/invites/${params.code}`)
  return {}
}

async function banned(world: World) {
  const { owner, target } = world.users
  await owner.client.json('PUT', `/api/servers/${world.serverId}/bans/${target.id}`, {})
  return {}
}

async function overwrite(world: World) {
  const { params } = await role(world)
  const path = `/api/channels/${world.channelId}/overwrites/${params.roleId}`
  await world.users.owner.client.request('PUT', path, { type: 'role', allow: '0', deny: '0' })
  return { params: { targetId: params.roleId } }
}

/** An application without a bot. The number of applications of a user is limited, so only the owner gets a new one. */
async function application(world: World, column: string) {
  const { id } = column === 'owner' ? await createApplication(world.users.owner.client) : world.application
  return { params: { id } }
}

async function applicationWithBot(world: World, column: string) {
  const { params } = await application(world, column)
  if (column === 'owner') await create(world, `/api/applications/${params.id}/bot`)
  return { params }
}

/** A use of the command `go`, to which the bot responded unless `response` is undefined. */
async function interaction(world: World, response?: string) {
  const { bot } = world.bots
  const { channelId, commandId } = world
  const { id } = await create(world, '/api/interactions', { type: 'command', channelId, commandId })
  const event = bot.received.find(one => one.id === id)
  assert.ok(event, 'the bot received no event')
  if (response !== undefined) await bot.callback(event, { type: 'message', data: { content: response } })
  return { event, params: { id: event.id, token: event.token } }
}

async function followup(world: World) {
  const { event, params } = await interaction(world, 'Hello')
  const { body } = await world.bots.bot.followup(event, { content: 'More' })
  return { params: { ...params, messageId: body.id } }
}

const answered = (world: World) => interaction(world, 'Hello')

function register(): Record<string, string> {
  const username = uniqueName()
  return { username, email: `${username}@example.org`, password: 'correct horse' }
}

const authorization = ({ application }: World) => ({
  client_id: application.id,
  redirect_uri: application.redirectUri,
  response_type: 'code',
  scope: 'identify',
})

/** The credentials of the client as the column says. */
function client({ application }: World, column: string): Record<string, string> {
  if (column === 'none') return {}
  return { client_id: application.id, client_secret: column === 'wrong' ? 'x' : (application.secret ?? '') }
}

const userInfo: Prepare = async ({ accessToken }, column) => ({
  headers: column === 'none' ? {} : { authorization: `Bearer ${column === 'wrong' ? 'x' : accessToken}` },
  form: {},
})

const issue = {
  action: 'opened',
  issue: { number: 7, title: 'Labels', html_url: 'https://github.com/example/web/issues/7' },
  repository: { full_name: 'example/web' },
  sender: { login: 'ana' },
}
const github = { 'x-github-event': 'issues' }
const none = { body: {} }
const proof = { currentPassword: 'correct horse' }

/** The routes whose requests need more than ids of the world. A function is called for each request. */
export const requests: Readonly<Record<string, Parts | Prepare>> = {
  'POST /api/auth/register': async () => ({ body: register() }),
  'POST /api/auth/login': async world => {
    const user = await newUser(world.service)
    return { body: { login: user.username, password: user.password } }
  },
  'POST /api/auth/login/second-factor': { body: { ticket: 'x', code: '123456' } },
  'POST /api/auth/login/second-factor/options': { body: { ticket: 'x' } },
  'POST /api/auth/email/verify': { body: { token: 'x' } },
  'POST /api/auth/password/forgot': { body: { email: 'nobody@example.org' } },
  'POST /api/auth/password/reset': { body: { token: 'x', password: 'correct horse' } },
  'PATCH /api/users/@me': { body: { displayName: 'Ana' } },
  'PUT /api/users/@me/avatar': { body: png },
  'DELETE /api/users/@me/sessions/:id': async ({ service, users: { other } }) => {
    await signIn(service, other)
    const sessions = await other.client.request<Session[]>('GET', '/api/users/@me/sessions')
    return { params: { id: sessions.find(({ current }) => !current)?.id ?? '' } }
  },
  'POST /api/users/@me/second-factors/totp': { body: proof },
  'POST /api/users/@me/second-factors/totp/confirm': { body: { code: '123456' } },
  'DELETE /api/users/@me/second-factors/totp': { body: proof },
  'POST /api/users/@me/second-factors/passkeys/options': { body: proof },
  'POST /api/users/@me/second-factors/passkeys': none,
  'DELETE /api/users/@me/second-factors/passkeys/:id': { body: proof },
  'POST /api/users/@me/second-factors/recovery-codes': { body: proof },
  'GET /images/:kind/:id/:hash': async ({ users }) => ({
    params: { kind: 'users', id: users.owner.id, hash: 'default' },
  }),
  'GET /media-proxy': { query: { poster: '1000000000000000001', url: 'x', signature: 'x' } },
  'POST /api/servers': { body: { name: 'Server' } },
  'PATCH /api/servers/:id': { body: { name: 'Server' } },
  'DELETE /api/servers/:id': async (world, column) =>
    column === 'owner'
      ? { params: { id: (await create(world, '/api/servers', { name: 'S' })).id ?? '' } }
      : {},
  'PUT /api/servers/:id/icon': { body: png },
  'POST /api/servers/:id/channels': { body: { name: 'plans' } },
  'PATCH /api/channels/:id': { body: { topic: 'Plans' } },
  'DELETE /api/channels/:id': channel,
  'POST /api/users/@me/channels': async world => ({
    ...(await rejoin(world)),
    body: { recipientId: world.users.target.id },
  }),
  'PUT /api/channels/:id/overwrites/:targetId': async world => ({
    params: { targetId: (await role(world)).params.roleId },
    body: { type: 'role', allow: '0', deny: '0' },
  }),
  'DELETE /api/channels/:id/overwrites/:targetId': overwrite,
  'POST /api/servers/:id/roles': { body: { name: 'helpers', permissions: '0' } },
  'PATCH /api/servers/:id/roles/:roleId': async world => ({ ...(await role(world)), body: { name: 'low' } }),
  'DELETE /api/servers/:id/roles/:roleId': role,
  'PUT /api/servers/:id/members/:userId/roles/:roleId': role,
  'DELETE /api/servers/:id/members/:userId/roles/:roleId': heldRole,
  'GET /api/servers/:id/members/:userId': rejoin,
  'PATCH /api/servers/:id/members/:userId': async world => ({
    ...(await rejoin(world)),
    body: { timedOutUntil: null },
  }),
  'DELETE /api/servers/:id/members/:userId': rejoin,
  'GET /api/servers/:id/bans/:userId': banned,
  'PUT /api/servers/:id/bans/:userId': async world => ({ ...(await rejoin(world)), body: {} }),
  'DELETE /api/servers/:id/bans/:userId': banned,
  'POST /api/servers/:id/invites': none,
  'GET /api/invites/:code': invite,
  'POST /api/invites/:code': invite,
  'DELETE /api/invites/:code': invite,
  'POST /api/channels/:id/messages': async world => ({
    ...(await channel(world)),
    body: { content: 'Hello' },
  }),
  'GET /api/channels/:id/messages/:messageId': message,
  'PATCH /api/channels/:id/messages/:messageId': async world => ({
    ...(await message(world)),
    body: { content: 'Edited' },
  }),
  'DELETE /api/channels/:id/messages/:messageId': message,
  'PUT /api/channels/:id/read': async world => ({ body: (await message(world)).params }),
  'POST /api/applications': { body: { name: 'Dice', type: 'confidential' } },
  'PATCH /api/applications/:id': { body: { name: 'Dice' } },
  'DELETE /api/applications/:id': application,
  'PUT /api/applications/:id/icon': { body: png },
  'POST /api/applications/:id/bot': async (world, column) => ({
    ...(await application(world, column)),
    body: {},
  }),
  'POST /api/applications/:id/bot/token': applicationWithBot,
  'POST /api/applications/:id/try': async ({ channelId, commandId }) => ({
    body: { channelId, commandId, answer: { content: 'Hello' } },
  }),
  'PUT /api/applications/@me/commands': { body: commands },
  'PUT /api/applications/@me/servers/:serverId/commands': { body: [] },
  'PUT /api/servers/:id/commands/:commandId/permissions': { body: [] },
  'DELETE /api/users/@me/authorizations/:applicationId': async ({ users, application }) => {
    await codeFor(users.other, application)
    return { params: { applicationId: application.id } }
  },
  'GET /oauth2/authorize': async world => ({ query: authorization(world) }),
  'POST /oauth2/authorize': async world => ({ form: authorization(world) }),
  'POST /oauth2/consent': async world => ({
    query: authorization(world),
    form: { decision: 'deny' },
    page: `/oauth2/authorize?${new URLSearchParams(authorization(world))}`,
  }),
  'POST /oauth2/logout': { form: {} },
  'POST /oauth2/logout/confirm': { form: {}, page: '/oauth2/logout' },
  'POST /api/oauth2/token': async (world, column) => ({
    form: {
      grant_type: 'authorization_code',
      code: await codeFor(world.users.owner, world.application),
      redirect_uri: world.application.redirectUri,
      ...client(world, column),
    },
  }),
  'POST /api/oauth2/token/revoke': async (world, column) => ({
    form: { token: 'x', ...client(world, column) },
  }),
  'POST /api/oauth2/introspect': async (world, column) => ({
    form: { token: 'x', ...client(world, column) },
  }),
  'GET /api/oauth2/userinfo': async (world, column) => ({
    headers: (await userInfo(world, column)).headers ?? {},
  }),
  'POST /api/oauth2/userinfo': userInfo,
  'GET /reset-password': { query: { token: 'x' } },
  'GET /verify-email': { query: { token: 'x' } },
  'GET /language': { query: { locale: 'en' } },
  'GET /docs/api/:group': { params: { group: 'messages' } },
  'GET /docs/api/:group/:operation': { params: { group: 'messages', operation: 'create-message' } },
  'GET /docs/gateway/:message': { params: { message: 'READY' } },
  'GET /docs/objects/:name': { params: { name: 'Message' } },
  'GET /docs/guides/:guide': { params: { guide: 'sign-in' } },
  'POST /login': { form: { login: 'nobody', password: 'x' }, page: '/login' },
  'POST /login/passkey': { form: {}, page: '/login' },
  'POST /login/second-factor': { form: {}, page: '/login' },
  'POST /register': { form: {}, page: '/register' },
  'POST /forgot-password': { form: {}, page: '/forgot-password' },
  'POST /reset-password': { form: {}, page: '/reset-password?token=x' },
  'POST /verify-email': { form: {}, page: '/verify-email?token=x' },
  'POST /logout': { form: {}, page: '/logout' },
  'POST /api/interactions': async ({ channelId, commandId }) => ({
    body: { type: 'command', channelId, commandId },
  }),
  'GET /api/interactions/:id': answered,
  'POST /api/interactions/autocomplete': async ({ channelId, suggestingCommandId: commandId }) => ({
    body: { channelId, commandId, focused: 'word', options: [{ name: 'word', value: 'mo' }] },
  }),
  'POST /api/interactions/:id/:token/callback': async world => ({
    ...(await interaction(world)),
    body: { type: 'message', data: { content: 'Hello' } },
  }),
  'POST /api/interactions/:id/:token/followup': async world => ({
    ...(await answered(world)),
    body: { content: 'More' },
  }),
  'PATCH /api/interactions/:id/:token/followup/:messageId': async world => ({
    ...(await followup(world)),
    body: { content: 'Edited' },
  }),
  'DELETE /api/interactions/:id/:token/followup/:messageId': followup,
  'GET /api/interactions/:id/:token/original': answered,
  'PATCH /api/interactions/:id/:token/original': async world => ({
    ...(await answered(world)),
    body: { content: 'Edited' },
  }),
  'DELETE /api/interactions/:id/:token/original': answered,
  'GET /api/channels/:channelId/webhooks': webhook,
  'POST /api/channels/:channelId/webhooks': async world => ({
    ...(await channel(world)),
    body: { name: 'Builds' },
  }),
  'PATCH /api/channels/:channelId/webhooks/:id': async world => ({
    ...(await webhook(world)),
    body: { name: 'Deploys' },
  }),
  'DELETE /api/channels/:channelId/webhooks/:id': webhook,
  'POST /api/channels/:channelId/webhooks/:id/token': webhook,
  'GET /api/channels/:channelId/webhooks/:id/deliveries': webhook,
  'POST /api/webhooks/:id/:token': async (world, column) => ({
    ...(await webhook(world, column)),
    body: { content: 'Build 7' },
  }),
  'GET /api/webhooks/:id/:token': webhook,
  'PATCH /api/webhooks/:id/:token': async (world, column) => ({
    ...(await webhook(world, column)),
    body: { name: 'Deploys' },
  }),
  'DELETE /api/webhooks/:id/:token': webhook,
  'POST /api/webhooks/:id/:token/slack': async (world, column) => ({
    ...(await webhook(world, column)),
    body: { text: 'Build 7' },
  }),
  'POST /api/webhooks/:id/:token/github': async (world, column) => ({
    ...(await webhook(world, column)),
    headers: github,
    body: issue,
  }),
  'GET /api/webhooks/:id/:token/messages/:messageId': webhookMessage,
  'PATCH /api/webhooks/:id/:token/messages/:messageId': async (world, column) => ({
    ...(await webhookMessage(world, column)),
    body: { content: 'Build 8' },
  }),
  'DELETE /api/webhooks/:id/:token/messages/:messageId': webhookMessage,
}
