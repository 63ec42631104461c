import assert from 'node:assert/strict'
import type { Session } from '@gatehouse/protocol/users'
import { createApplication } from '@gatehouse/testkit/applications'
import { png } from '@gatehouse/testkit/images'
import { discordToken } from '@gatehouse/testkit/interactions'
import { codeFor } from '@gatehouse/testkit/oauth'
import type { Parts, Row } from './access.ts'
import { commands, newUser, signIn, uniqueName, type World } from './world.ts'

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
  await rejoin(world)
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

const pngUri = `data:image/png;base64,${Buffer.from(png).toString('base64')}`

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
  // A server has a limited number of valid invites.
  await owner.client.json('DELETE', `/api/invites/${params.code}`)
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

/** A message of the target, which the callers can report. */
async function messageOfTarget(world: World) {
  const { params } = await message(world)
  const { service, users } = world
  await service.db.run`UPDATE messages SET author_id = ${users.target.id} WHERE id = ${params.messageId}`
  return { params }
}

async function report(world: World) {
  const { params } = await messageOfTarget(world)
  const path = `/api/channels/${world.channelId}/messages/${params.messageId}/reports`
  const { id = '' } = await create(world, path, { reason: 'Spam' })
  return { params: { reportId: id } }
}

/** A direct message of the owner to a member with ADMINISTRATOR. */
async function directMessage(world: World) {
  const { id = '' } = await create(world, '/api/users/@me/channels', { recipientId: world.users.admin.id })
  return { params: { id } }
}

/** A report of a message of a direct message. */
async function directReport(world: World) {
  const { params } = await directMessage(world)
  const { client } = world.users.admin
  const { id: messageId } = await client.call('createMessage', { ...params, body: { content: 'Hello' } })
  const path = `/api/channels/${params.id}/messages/${messageId}/reports`
  return { params: { id: (await create(world, path, { reason: 'Spam' })).id ?? '' } }
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

/** A use of the command `go`. */
async function interaction(world: World) {
  const { channelId, commandId } = world
  const { id } = await create(world, '/api/interactions', { type: 'command', channelId, commandId })
  const event = world.bots.bot.received.find(one => one.id === id)
  assert.ok(event, 'the bot received no event')
  return { event, params: { id: event.id, token: event.token } }
}

/** A use of the command `go`, to which the bot responded. */
async function answered(world: World) {
  const { event, params } = await interaction(world)
  await world.bots.bot.callback(event, { type: 'message', data: { content: 'Hello' } })
  return { event, params }
}

async function followup(world: World) {
  const { event, params } = await answered(world)
  const { body } = await world.bots.bot.followup(event, { content: 'More' })
  return { params: { ...params, messageId: body.id } }
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

const proof = { currentPassword: 'correct horse' }

/** For the owner, a new application that is bound to the server: the end of a binding ends the tokens. */
const boundApplication: Prepare = async ({ users, serverId, application }, column) => {
  if (column !== 'owner') return { params: { applicationId: application.id } }
  const { client } = users.owner
  const { id } = await createApplication(client)
  await client.request('PATCH', `/api/applications/${id}`, { server: { id: serverId } })
  return { params: { applicationId: id } }
}

const ownershipOffer = ({ users }: World) => ({ userId: users.target.id, ...proof })

/** The same for Discord's API, whose parameters have other names. */
const discordWebhook: Prepare = async world => ({ params: { webhookId: (await webhook(world)).params.id } })

const discordOverwrite: Prepare = async world => {
  const { params } = await overwrite(world)
  return { params: { overwriteId: params.targetId } }
}

/** A message of the first bot. */
const messageOfBot: Prepare = async ({ service, channelId, bots }) => {
  const authorization = `Bot ${bots.bot.token}`
  const path = `/api/v10/channels/${channelId}/messages`
  const { body } = await service.client().json('POST', path, { content: 'Hello' }, { authorization })
  return { params: { messageId: body.id } }
}

/** The application of the bot in the column, and a new command of it, with overrides. */
const discordCommand =
  (set: string): Prepare =>
  async (world, column) => {
    const bot = world.bots[column as keyof World['bots']] ?? world.bots.bot
    const path = `/api/v10/applications/${bot.applicationId}/${set.replace(':guildId', world.serverId)}`
    const { body } = await bot.json('POST', path, { name: uniqueName('c'), description: 'Does it' })
    const overrides = [{ type: 'channel', id: world.channelId, allow: true }]
    const permissions = `/api/servers/${world.serverId}/commands/${body.id}/permissions`
    await world.users.owner.client.json('PUT', permissions, overrides)
    return { params: { applicationId: bot.applicationId, ...(body.id && { commandId: body.id }) } }
  }

/** A use of the command `go`, or with `isAnswered` one to which the bot responded. */
const discordInteraction =
  (isAnswered: boolean): Prepare =>
  async (world, column) => {
    const { event } = await (isAnswered ? answered : interaction)(world)
    const token = column === 'wrong' ? event.token : await discordToken(world.service, event)
    const { id: interactionId, applicationId } = event
    return { params: { interactionId, applicationId, token, messageId: '@original' } }
  }

/** Creates what a path names, for each request. The first that the path of the route begins with counts. */
const subjects: Readonly<Record<string, Prepare>> = {
  '/api/servers/:id/members/:userId/roles/:roleId': heldRole,
  '/api/servers/:id/members/:userId': rejoin,
  '/api/servers/:id/reports/:reportId': report,
  '/api/servers/:id/bound-applications/:applicationId': boundApplication,
  '/api/servers/:id/bans/:userId': banned,
  '/api/servers/:id/roles/:roleId': role,
  '/api/invites/:code': invite,
  '/api/channels/:id/messages/:messageId/reports': messageOfTarget,
  '/api/channels/:id/messages/:messageId': message,
  '/api/channels/:id/overwrites/:targetId': overwrite,
  '/api/interactions/:id/:token/callback': interaction,
  '/api/interactions/:id/:token/followup/:messageId': followup,
  '/api/interactions/:id': answered,
  '/api/admin/reports/:id': directReport,
  '/api/admin/users/:id': async ({ users }) => ({ params: { id: users.target.id } }),
  '/api/channels/:channelId/webhooks': webhook,
  '/api/v10/guilds/:guildId/members/:userId/roles/:roleId': heldRole,
  '/api/v10/guilds/:guildId/members/:userId': rejoin,
  '/api/v10/guilds/:guildId/bans/:userId': banned,
  '/api/v10/guilds/:guildId/roles/:roleId': role,
  '/api/v10/users/:userId': rejoin,
  '/api/v10/invites/:code': invite,
  '/api/v10/channels/:channelId/messages/:messageId': message,
  '/api/v10/channels/:channelId/permissions/:overwriteId': discordOverwrite,
  '/api/v10/webhooks/:webhookId': discordWebhook,
  '/api/v10/webhooks/:applicationId/:token': discordInteraction(true),
  '/api/v10/interactions/:interactionId/:token/callback': discordInteraction(false),
  '/api/v10/applications/:applicationId/commands': discordCommand('commands'),
  '/api/v10/applications/:applicationId/guilds/:guildId/commands': discordCommand('guilds/:guildId/commands'),
  '/api/webhooks/:id/:token/messages/:messageId': webhookMessage,
  '/api/webhooks/:id/:token': webhook,
}

/** What else the requests need. A function is called for each request. */
const requests: Readonly<Record<string, Parts | Prepare>> = {
  'POST /api/auth/register': async () => {
    const username = uniqueName()
    return { body: { username, email: `${username}@example.org`, password: 'correct horse' } }
  },
  'POST /api/auth/login': async world => {
    const user = await newUser(world.service)
    return { body: { login: user.username, password: user.password } }
  },
  'PUT /api/users/@me/avatar': { body: png },
  'DELETE /api/users/@me/sessions/:id': async ({ service, users: { other } }) => {
    await signIn(service, other)
    const sessions = await other.client.request<Session[]>('GET', '/api/users/@me/sessions')
    return { params: { id: sessions.find(({ current }) => !current)?.id ?? '' } }
  },
  'POST /api/users/@me/second-factors/totp': { body: proof },
  'DELETE /api/users/@me/second-factors/totp': { body: proof },
  'POST /api/users/@me/second-factors/passkeys/options': { body: proof },
  'DELETE /api/users/@me/second-factors/passkeys/:id': { body: proof },
  'POST /api/users/@me/second-factors/recovery-codes': { body: proof },
  'GET /images/:kind/:id/:hash': async ({ users }) => ({
    params: { kind: 'users', id: users.owner.id, hash: 'default' },
  }),
  'GET /embed/avatars/:file': { params: { file: '0.png' } },
  'GET /media-proxy': { query: { poster: '1000000000000000001', url: 'x', signature: 'x' } },
  'DELETE /api/servers/:id': async (world, column) =>
    column === 'owner'
      ? { params: { id: (await create(world, '/api/servers', { name: 'S' })).id ?? '' } }
      : {},
  'PUT /api/servers/:id/ownership-transfer': async world => ({
    ...(await rejoin(world)),
    body: ownershipOffer(world),
  }),
  'DELETE /api/servers/:id/ownership-transfer': async world => {
    await rejoin(world)
    const path = `/api/servers/${world.serverId}/ownership-transfer`
    await world.users.owner.client.request('PUT', path, ownershipOffer(world))
    return {}
  },
  'PUT /api/servers/:id/icon': { body: png },
  'PATCH /api/servers/:id': { body: { icon: `data:image/png;base64,${png.toString('base64')}` } },
  'PATCH /api/servers/:id/channels': async ({ channelId }) => ({ body: [{ id: channelId, position: 0 }] }),
  'DELETE /api/channels/:id': channel,
  'POST /api/users/@me/channels': async world => ({
    ...(await rejoin(world)),
    body: { recipientId: world.users.target.id },
  }),
  'PATCH /api/users/@me/channels/:id': directMessage,
  'PUT /api/channels/:id/overwrites/:targetId': { body: { type: 'role', allow: '0', deny: '0' } },
  'PATCH /api/servers/:id/roles': { body: [] },
  'POST /api/servers/:id/roles': { body: { name: 'helpers', permissions: '0' } },
  'PUT /api/servers/:id/bans/:userId': rejoin,
  'POST /api/servers/:id/bans': async world => ({
    ...(await rejoin(world)),
    body: { userIds: [world.users.target.id] },
  }),
  'PATCH /api/admin/users/:id': { body: { disabled: false } },
  'DELETE /api/admin/users/:id/second-factor': { body: {} },
  'PATCH /api/admin/servers/:id': async ({ serverId }) => ({ params: { id: serverId }, body: {} }),
  'DELETE /api/admin/servers/:id': async (world, column) => ({
    params:
      column === 'operator' ? { id: (await create(world, '/api/servers', { name: 'S' })).id ?? '' } : {},
    body: {},
  }),
  'PATCH /api/admin/applications/:id': async world => ({
    params: { id: world.application.id },
    body: {},
  }),
  'DELETE /api/admin/applications/:id': async (world, column) => ({
    ...(await application(world, column === 'operator' ? 'owner' : column)),
    body: {},
  }),
  'PATCH /api/admin/settings': { body: {} },
  'PUT /api/admin/settings/logo': { body: png },
  'DELETE /api/admin/users/:id/sessions': async ({ service }, column) =>
    column === 'operator' ? { params: { id: (await newUser(service)).id }, body: {} } : { body: {} },
  'POST /api/channels/:id/messages': channel,
  'PUT /api/channels/:id/read': async world => ({ body: (await message(world)).params }),
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
  'PATCH /api/applications/@me': { body: { avatar: pngUri } },
  'PUT /api/applications/@me/servers/:serverId/commands': { body: [] },
  'PUT /api/servers/:id/commands/:commandId/permissions': { body: [] },
  'DELETE /api/users/@me/authorizations/:applicationId': async ({ users, application }) => {
    await codeFor(users.other, application)
    return { params: { applicationId: application.id } }
  },
  'GET /api/oauth2/authorize': async world => ({ query: authorization(world) }),
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
  'GET /docs/examples/:file': { params: { file: 'dice-bot.tgz' } },
  'GET /docs/guides/:guide': { params: { guide: 'sign-in' } },
  'GET /docs/guides/:guide/:part': { params: { guide: 'bots', part: 'commands' } },
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
  'POST /api/interactions/autocomplete': async ({ channelId, suggestingCommandId: commandId }) => ({
    body: { channelId, commandId, focused: 'word', options: [{ name: 'word', value: 'mo' }] },
  }),
  'POST /api/webhooks/:id/:token/github': { headers: { 'x-github-event': 'issues' } },
  'PATCH /api/v10/users/@me': { body: {} },
  'DELETE /api/v10/users/@me/guilds/:guildId': async world => ({
    params: { guildId: (await create(world, '/api/servers', { name: 'S' })).id ?? '' },
  }),
  'POST /api/v10/users/@me/channels': async world => ({
    ...(await rejoin(world)),
    body: { recipient_id: world.users.target.id },
  }),
  'POST /api/v10/guilds/:guildId/channels': { body: { name: 'channel' } },
  'PATCH /api/v10/guilds/:guildId/channels': async ({ channelId: id }) => ({ body: [{ id, position: 0 }] }),
  'PATCH /api/v10/channels/:channelId': { body: {} },
  'DELETE /api/v10/channels/:channelId': channel,
  'PUT /api/v10/channels/:channelId/permissions/:overwriteId': { body: { type: 0, allow: '0', deny: '0' } },
  'POST /api/v10/channels/:channelId/messages': async world => ({
    ...(await channel(world)),
    body: { content: 'Hello' },
  }),
  'PATCH /api/v10/channels/:channelId/messages/:messageId': async (world, column) => ({
    ...(await messageOfBot(world, column)),
    body: { content: 'Hello' },
  }),
  'POST /api/v10/channels/:channelId/messages/bulk-delete': async world => ({
    body: { messages: [(await message(world)).params.messageId] },
  }),
  'POST /api/channels/:channelId/webhooks': { body: { name: 'Builds', avatar: pngUri } },
  'PATCH /api/channels/:channelId/webhooks/:id': { body: { avatar: pngUri } },
  'POST /api/v10/channels/:channelId/webhooks': { body: { name: 'Builds' } },
  'PATCH /api/v10/webhooks/:webhookId': { body: {} },
  'PATCH /api/v10/guilds/:guildId': { body: {} },
  'PATCH /api/v10/guilds/:guildId/widget': { body: {} },
  'GET /api/v10/guilds/:guildId/members/search': { query: { query: 'x' } },
  'PATCH /api/v10/guilds/:guildId/members/:userId': { body: { communication_disabled_until: null } },
  'PATCH /api/v10/guilds/:guildId/members/@me': { body: {} },
  'PATCH /api/v10/guilds/:guildId/roles': { body: [] },
  'POST /api/v10/guilds/:guildId/roles': { body: {} },
  'PATCH /api/v10/guilds/:guildId/roles/:roleId': { body: {} },
  'PUT /api/v10/guilds/:guildId/bans/:userId': rejoin,
  'POST /api/v10/guilds/:guildId/bulk-ban': async world => ({
    ...(await rejoin(world)),
    body: { user_ids: [world.users.target.id] },
  }),
  'GET /api/v10/applications/:applicationId/emojis': async ({ bots }, column) => ({
    params: { applicationId: (bots[column as keyof World['bots']] ?? bots.bot).applicationId },
  }),
  ...Object.fromEntries(
    ['/commands', '/guilds/:guildId/commands'].flatMap(set => {
      const path = `/api/v10/applications/:applicationId${set}`
      return [
        [`PUT ${path}`, { body: [] }],
        [`POST ${path}`, { body: { name: 'c', description: 'Does it' } }],
        [`PATCH ${path}/:commandId`, { body: {} }],
      ]
    }),
  ),
  'POST /api/v10/interactions/:interactionId/:token/callback': {
    body: { type: 4, data: { content: 'Hello' } },
  },
  'POST /api/v10/webhooks/:applicationId/:token': { body: { content: 'More' } },
  'PATCH /api/v10/webhooks/:applicationId/:token/messages/:messageId': { body: { content: 'Changed' } },
}

export async function partsOf(world: World, { route, path }: Row, column: string): Promise<Parts> {
  const subject = Object.keys(subjects).find(one => path.startsWith(one)) ?? ''
  const parts = requests[route] ?? {}
  return {
    body: world.examples.get(route),
    ...(await subjects[subject]?.(world, column)),
    ...(typeof parts === 'function' ? await parts(world, column) : parts),
  }
}
