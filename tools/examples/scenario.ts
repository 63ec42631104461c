import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { Permission } from '@gatehouse/protocol/permissions'
import { createAuthenticator, factorsPath, totpCode } from '@gatehouse/testkit/accounts'
import { png } from '@gatehouse/testkit/images'
import { botOnNode, type TestBot } from '@gatehouse/testkit/interactions'
import { authorizePath, decide } from '@gatehouse/testkit/oauth'
import type { TestClient, TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { GatewayRecorder, RecordedSession } from './gateway.ts'

const password = 'correct horse battery'
const redirectUri = 'https://polls.example/callback'
const form = 'application/x-www-form-urlencoded'

/**
 * Uses every operation of the API document once with success, and receives every event of the gateway. The requests, responses and
 * frames become the examples of the documents.
 */
export async function useEveryOperation(service: TestService, gateway: GatewayRecorder): Promise<void> {
  const ana = await signUp(service, 'ana', 'Ana')
  const ben = await signUp(service, 'ben', 'Ben')
  await useAccount(service, ana)
  const connect = (user: TestClient) => gateway.connect({ cookie: user.cookieHeader() })
  await connect(ana)
  const server = await useServers(ana, ben)
  await connect(ben)
  await useMessages(ana, ben, server)
  await useWebhooks(ana, server.channelId)
  const application = await useApplications(service, ana, server)
  const bot = await useInteractions(service, gateway, ana, ben, { ...server, ...application })
  await useOAuth(service, ana, application)
  await removeAll(service, ana, ben, { ...server, ...application }, bot)
  // After the gateway sessions, which end without heartbeats when the clock advances.
  await useSecondFactors(service, ana)
  // Is told to reconnect when the service stops.
  await connect(ana)
  const anyone = service.client()
  for (const path of ['/healthz', '/readyz', '/metrics', '/api/version', '/api/gateway'])
    await succeed(anyone.get(path))
  for (const path of ['/api/openapi.json', '/api/asyncapi.json', '/api/oauth2/keys'])
    await succeed(anyone.get(path))
  for (const name of ['openid-configuration', 'oauth-authorization-server'])
    await succeed(anyone.get(`/.well-known/${name}`))
}

async function succeed(reply: ReturnType<TestClient['get']>): ReturnType<TestClient['get']> {
  const { status, text } = await reply
  assert.ok(status < 400, `${status} ${text}`)
  return reply
}

/** A multipart body with one JSON part. */
function multipart(name: string, value: object): RequestInit {
  const part = `Content-Disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(value)}`
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  return { method: 'POST', headers, body: `--x\r\n${part}\r\n--x--\r\n` }
}

async function mailedToken(service: TestService, to: string, page: string): Promise<string> {
  const pattern = new RegExp(`/${page}\\?token=(\\S+)`)
  const find = () =>
    service.mails.filter(mail => mail.to === to).findLast(mail => pattern.test(mail.text))?.text
  await waitUntil(() => find() !== undefined)
  return pattern.exec(find() ?? '')?.[1] ?? ''
}

async function signUp(service: TestService, username: string, displayName: string): Promise<TestClient> {
  const client = service.client()
  const email = `${username}@example.org`
  await client.request('POST', '/api/auth/register', { username, email, password, displayName })
  await client.request('POST', '/api/auth/email/verify', {
    token: await mailedToken(service, email, 'verify-email'),
  })
  return client
}

async function useAccount(service: TestService, ana: TestClient): Promise<void> {
  const cleo = service.client()
  const email = 'cleo@example.org'
  await cleo.request('POST', '/api/auth/register', { username: 'cleo', email, password, displayName: 'Cleo' })
  service.clock.advance(60_000)
  await cleo.request('POST', '/api/auth/email/resend')
  await cleo.request('POST', '/api/auth/email/verify', {
    token: await mailedToken(service, email, 'verify-email'),
  })
  await cleo.request('POST', '/api/auth/password/forgot', { email })
  await cleo.request('POST', '/api/auth/password/reset', {
    token: await mailedToken(service, email, 'reset-password'),
    password: 'staple battery horse',
  })
  const other = service.client()
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  await other.request('POST', '/api/auth/login', { login: 'ana', password }, browser)
  await ana.request('GET', '/api/users/@me')
  await ana.request('PATCH', '/api/users/@me', { displayName: 'Ana Lima' })
  const avatar = await sendImage(ana, '/api/users/@me/avatar')
  await ana.request('GET', avatar.avatar)
  await ana.request('DELETE', '/api/users/@me/avatar')
  const sessions = await ana.request<{ id: string; current: boolean }[]>('GET', '/api/users/@me/sessions')
  const session = sessions.find(({ current }) => !current)
  await ana.request('DELETE', `/api/users/@me/sessions/${session?.id}`)
  await ana.request('DELETE', '/api/users/@me/sessions', { revokeTokens: false })
  const leaving = service.client()
  await leaving.request('POST', '/api/auth/login', { login: 'ana', password })
  await leaving.request('POST', '/api/auth/logout')
}

async function sendImage(client: TestClient, path: string): Promise<{ avatar: string }> {
  const headers = { 'content-type': 'image/png' }
  return (await succeed(client.send(path, { method: 'PUT', headers, body: png }))).body
}

interface Place {
  serverId: string
  channelId: string
  benId: string
}

async function useServers(ana: TestClient, ben: TestClient): Promise<Place> {
  const { id } = await ana.request<{ id: string }>('POST', '/api/servers', { name: 'Garden club' })
  const path = `/api/servers/${id}`
  await ana.request('GET', path)
  await ana.request('PATCH', path, { name: 'Garden club of Ghent' })
  await sendImage(ana, `${path}/icon`)
  await ana.request('DELETE', `${path}/icon`)
  await ana.request('GET', '/api/users/@me/servers')
  const { code } = await ana.request<{ code: string }>('POST', `${path}/invites`, {
    maxUses: 10,
    expiresIn: 86_400,
  })
  await ana.request('GET', `${path}/invites`)
  await ben.request('GET', `/api/invites/${code}`)
  await ben.request('POST', `/api/invites/${code}`)
  await ana.request('DELETE', `/api/invites/${code}`)
  const members = await ana.request<{ user: { id: string; username: string } }[]>('GET', `${path}/members`)
  const benId = members.find(({ user }) => user.username === 'ben')?.user.id ?? ''
  await ana.request('GET', `${path}/members/${benId}`)
  const role = await ana.request<{ id: string }>('POST', `${path}/roles`, {
    name: 'Moderators',
    permissions: String(Permission.MANAGE_MESSAGES),
    color: 0x2eb67d,
  })
  await ana.request('GET', `${path}/roles`)
  await ana.request('PATCH', `${path}/roles/${role.id}`, { color: 0x3498db })
  await ana.request('PUT', `${path}/members/${benId}/roles/${role.id}`)
  const channel = await ana.request<{ id: string }>('POST', `${path}/channels`, {
    name: 'seeds',
    topic: 'Swap seeds with other members',
  })
  await ana.request('GET', `${path}/channels`)
  await ana.request('GET', `/api/channels/${channel.id}`)
  await ana.request('PATCH', `/api/channels/${channel.id}`, { topic: 'Swap seeds and plants' })
  const overwrite = `/api/channels/${channel.id}/overwrites/${role.id}`
  const allow = String(Permission.SEND_MESSAGES)
  await ana.request('PUT', overwrite, { type: 'role', allow, deny: '0' })
  await ana.request('DELETE', overwrite)
  await ana.request('DELETE', `${path}/members/${benId}/roles/${role.id}`)
  await ana.request('DELETE', `${path}/roles/${role.id}`)
  return { serverId: id, channelId: channel.id, benId }
}

async function useMessages(ana: TestClient, ben: TestClient, { channelId, benId }: Place): Promise<void> {
  const messages = `/api/channels/${channelId}/messages`
  const { id } = await ana.request<{ id: string }>('POST', messages, {
    content: 'Who has tomato seeds?',
  })
  await ana.request('GET', `${messages}/${id}`)
  await ana.request('PATCH', `${messages}/${id}`, { content: 'Who has tomato or pepper seeds?' })
  await ben.request('GET', `${messages}?limit=50`)
  await ben.request('PUT', `/api/channels/${channelId}/read`, { messageId: id })
  await ana.request('DELETE', `${messages}/${id}`)
  await ana.request('POST', '/api/users/@me/channels', { recipientId: benId })
  await ana.request('GET', '/api/users/@me/channels')
}

async function useWebhooks(ana: TestClient, channelId: string): Promise<void> {
  const path = `/api/channels/${channelId}/webhooks`
  const webhook = await ana.request<{ id: string }>('POST', path, { name: 'Builds' })
  await ana.request('GET', path)
  await ana.request('PATCH', `${path}/${webhook.id}`, { name: 'Build server' })
  const { url } = await ana.request<{ url: string }>('POST', `${path}/${webhook.id}/token`)
  const { pathname } = new URL(url)
  const anyone = ana
  const { id } = await anyone.request<{ id: string }>('POST', `${pathname}?wait=true`, {
    content: 'Build 7 failed',
    embeds: [{ title: 'Build 7', url: 'https://builds.example.org/7', color: 0xe01e5a }],
    allowed_mentions: { parse: [] },
  })
  await ana.request('GET', `${path}/${webhook.id}/deliveries`)
  await succeed(anyone.form(`${pathname}?wait=true`, { content: 'Build 8 passed', username: 'Builds' }))
  await succeed(
    anyone.send(`${pathname}?wait=true`, multipart('payload_json', { content: 'Build 9 passed' })),
  )
  await anyone.request('GET', pathname)
  await anyone.request('PATCH', pathname, { name: 'Builds' })
  await succeed(anyone.send(pathname, { ...formInit({ name: 'Builds' }), method: 'PATCH' }))
  await succeed(anyone.send(pathname, { ...multipart('payload_json', { name: 'Builds' }), method: 'PATCH' }))
  const message = `${pathname}/messages/${id}`
  await anyone.request('GET', message)
  const change = { content: 'Build 7 passed after a retry' }
  await anyone.request('PATCH', message, change)
  await succeed(anyone.send(message, { ...formInit(change), method: 'PATCH' }))
  await succeed(anyone.send(message, { ...multipart('payload_json', change), method: 'PATCH' }))
  await anyone.request('DELETE', message)
  const slack = { text: 'Deployed *web* 1.4', attachments: [{ color: 'good', title: 'web 1.4' }] }
  await anyone.request('POST', `${pathname}/slack`, slack)
  await succeed(anyone.form(`${pathname}/slack`, { payload: JSON.stringify(slack) }))
  await succeed(anyone.send(`${pathname}/slack`, multipart('payload', slack)))
  const event = {
    action: 'opened',
    issue: { number: 7, title: 'Labels are cut off', html_url: 'https://github.com/example/web/issues/7' },
    repository: { full_name: 'example/web' },
    sender: { login: 'ana' },
  }
  const headers = { 'x-github-event': 'issues' }
  await anyone.request('POST', `${pathname}/github`, event, headers)
  await succeed(anyone.form(`${pathname}/github`, { payload: JSON.stringify(event) }, headers))
  const parts = multipart('payload', event)
  await succeed(anyone.send(`${pathname}/github`, { ...parts, headers: { ...parts.headers, ...headers } }))
  await anyone.request('DELETE', pathname)
  const other = await ana.request<{ id: string }>('POST', path, { name: 'Alerts' })
  await ana.request('DELETE', `${path}/${other.id}`)
}

function formInit(fields: Readonly<Record<string, string>>): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': form },
    body: new URLSearchParams(fields).toString(),
  }
}

interface Application {
  applicationId: string
  secret: string
  botId: string
  token: string
}

async function useApplications(
  service: TestService,
  ana: TestClient,
  { serverId, channelId, benId }: Place,
): Promise<Application> {
  const { id } = await ana.request<{ id: string }>('POST', '/api/applications', {
    name: 'Polls',
    type: 'confidential',
    redirectUris: [redirectUri],
  })
  const path = `/api/applications/${id}`
  await ana.request('PATCH', path, { description: 'Asks the members of a channel' })
  await sendImage(ana, `${path}/icon`)
  const { bot } = await ana.request<{ bot: { id: string } }>('POST', `${path}/bot`, { username: 'polls' })
  const { token } = await ana.request<{ token: string }>('POST', `${path}/bot/token`)
  const { clientSecret } = await ana.request<{ clientSecret: string }>('POST', `${path}/secret`)
  await ana.request('GET', path)
  await ana.request('GET', '/api/applications')
  const permissions = String(Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.BAN_MEMBERS)
  const scope = { scope: 'bot applications.commands', permissions, server_id: serverId }
  const application = { id, secret: clientSecret, redirectUri }
  const page = await ana.get(authorizePath(application, scope))
  await succeed(decide(ana, page, { server_id: serverId }))
  await ana.request('GET', `/api/servers/${serverId}/integrations`)
  const authorization = { authorization: `Bot ${token}` }
  const commands = [
    {
      name: 'poll',
      description: 'Asks a question',
      options: [
        { type: 'string', name: 'question', description: 'What to ask', required: true, autocomplete: true },
      ],
    },
    {
      name: 'close',
      description: 'Closes a poll',
      defaultMemberPermissions: String(Permission.MANAGE_MESSAGES),
    },
  ]
  const anyone = service.client()
  await anyone.request('PUT', '/api/applications/@me/commands', commands, authorization)
  await anyone.request('GET', '/api/applications/@me/commands', undefined, authorization)
  const own = `/api/applications/@me/servers/${serverId}/commands`
  const garden = [{ name: 'harvest', description: 'Lists what is ripe' }]
  await anyone.request('PUT', own, garden, authorization)
  await anyone.request('GET', own, undefined, authorization)
  await ana.request('GET', `${path}/commands`)
  const ofServer = `/api/servers/${serverId}/commands`
  const listed = await ana.request<{ id: string; name: string }[]>('GET', `${ofServer}/permissions`)
  const close = listed.find(({ name }) => name === 'close')
  await ana.request('PUT', `${ofServer}/${close?.id}/permissions`, [
    { type: 'channel', id: serverId, allow: false },
    { type: 'channel', id: channelId, allow: true },
    { type: 'user', id: benId, allow: true },
  ])
  return { applicationId: id, secret: clientSecret, botId: bot.id, token }
}

async function useInteractions(
  service: TestService,
  gateway: GatewayRecorder,
  ana: TestClient,
  ben: TestClient,
  { channelId, applicationId, botId, token }: Place & Application,
): Promise<RecordedSession> {
  const bot = botOnNode(service, { applicationId, botId, token })
  const choice = { intents: ['servers', 'messages', 'moderation'], shard: [0, 1] }
  const session = await gateway.connect({ token }, choice, ({ t, d }) => {
    if (t === 'INTERACTION_CREATE') bot.received.push(d as unknown as InteractionCreate)
  })
  await succeed(bot.json('GET', '/api/gateway/bot'))
  const commands = await ben.request<{ id: string; name: string }[]>(
    'GET',
    `/api/channels/${channelId}/commands`,
  )
  const commandId = commands.find(({ name }) => name === 'poll')?.id
  const use = { channelId, commandId, options: [{ name: 'question', value: 'Which day?' }] }
  const { id } = await ben.request<{ id: string }>('POST', '/api/interactions', { type: 'command', ...use })
  const event = await bot.event(0)
  const buttons = ['Saturday', 'Sunday'].map(label => ({
    type: 'button',
    style: 'primary',
    label,
    customId: label.toLowerCase(),
  }))
  const components = [{ type: 'row', components: buttons }]
  await succeed(bot.callback(event, { type: 'message', data: { content: '**Which day?**', components } }))
  await ben.request('GET', `/api/interactions/${id}`)
  const typed = {
    channelId,
    commandId,
    options: [{ name: 'question', value: 'Which w' }],
    focused: 'question',
  }
  const suggested = ben.request('POST', '/api/interactions/autocomplete', typed)
  const typing = await bot.event(1)
  const choices = [{ name: 'Which week?', value: 'Which week?' }]
  await succeed(bot.callback(typing, { type: 'autocomplete', data: { choices } }))
  await suggested
  await succeed(bot.response('GET', event, 'original'))
  await succeed(bot.response('PATCH', event, 'original', { content: '**Which day?** Two votes' }))
  await useSelectAndModal(ben, bot, channelId, event)
  const followup = await bot.followup(event, { content: 'The poll ends tomorrow.', ephemeral: false })
  await succeed(bot.response('PATCH', event, `followup/${followup.body.id}`, { content: 'The poll ends.' }))
  await succeed(bot.response('DELETE', event, `followup/${followup.body.id}`))
  await succeed(bot.response('DELETE', event, 'original'))
  await ana.request('GET', `/api/applications/${applicationId}/interactions?limit=10`)
  await ana.request('POST', `/api/applications/${applicationId}/try`, {
    ...use,
    answer: { content: '**Which day?**' },
  })
  return session
}

/** Selects an option of a menu, whose response is a modal, and submits the modal. */
async function useSelectAndModal(
  ben: TestClient,
  bot: TestBot,
  channelId: string,
  event: InteractionCreate,
): Promise<void> {
  const options = ['Morning', 'Evening'].map(label => ({ label, value: label.toLowerCase() }))
  const select = { type: 'string_select', customId: 'time', placeholder: 'Choose a time', options }
  const menu = await bot.followup(event, {
    content: 'At what time?',
    components: [{ type: 'row', components: [select] }],
  })
  const use = (body: object) =>
    ben.request<{ id: string }>('POST', '/api/interactions', { ...body, channelId })
  const messageId = menu.body.id
  const selected = await use({ type: 'component', messageId, customId: 'time', values: ['evening'] })
  const remark = { type: 'text_input', customId: 'remark', label: 'What suits you?', style: 'paragraph' }
  const modal = { customId: 'reason', title: 'Evening', components: [{ type: 'row', components: [remark] }] }
  await succeed(bot.callback(await bot.event(2), { type: 'modal', data: modal }))
  const components = [{ customId: 'remark', value: 'After seven' }]
  await use({ type: 'modal_submit', interactionId: selected.id, components })
  const update = { content: 'Evening: after seven', components: [] }
  await succeed(bot.callback(await bot.event(3), { type: 'update', data: update }))
}

async function useOAuth(
  service: TestService,
  ana: TestClient,
  { applicationId, secret }: Application,
): Promise<void> {
  const application = { id: applicationId, secret, redirectUri }
  const request = { scope: 'openid identify email', state: 'xyz' }
  const page = await ana.get(authorizePath(application, request))
  const decision = await decide(ana, page)
  const code = new URL(decision.headers.get('location') ?? '').searchParams.get('code') ?? ''
  await succeed(ana.get(authorizePath(application, request)))
  const parameters = {
    client_id: applicationId,
    redirect_uri: redirectUri,
    response_type: 'code',
    ...request,
  }
  await succeed(ana.form('/oauth2/authorize', parameters))
  const anyone = service.client()
  const client = { client_id: applicationId, client_secret: secret }
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...client }
  const tokens = (await succeed(anyone.form('/api/oauth2/token', exchange))).body
  const authorization = { authorization: `Bearer ${tokens.access_token}` }
  await succeed(anyone.get('/api/oauth2/userinfo', authorization))
  await succeed(anyone.form('/api/oauth2/userinfo', { access_token: tokens.access_token }))
  await succeed(anyone.form('/api/oauth2/introspect', { token: tokens.access_token, ...client }))
  await ana.request('GET', '/api/users/@me/authorizations')
  await succeed(anyone.form('/api/oauth2/token/revoke', { token: tokens.access_token }))
  await ana.request('DELETE', `/api/users/@me/authorizations/${applicationId}`)
  const logout = { id_token_hint: tokens.id_token, state: 'xyz' }
  await succeed(anyone.get(`/oauth2/logout?${new URLSearchParams(logout)}`))
  await succeed(anyone.form('/oauth2/logout', logout))
}

async function useSecondFactors(service: TestService, ana: TestClient): Promise<void> {
  const proof = { currentPassword: password }
  const { secret } = await ana.request<{ secret: string }>('POST', `${factorsPath}/totp`, proof)
  await ana.request('POST', `${factorsPath}/totp/confirm`, { code: await totpCode(service, secret) })
  const authenticator = createAuthenticator(service.url)
  const code = async () => {
    service.clock.advance(30_000)
    return { code: await totpCode(service, secret) }
  }
  const options = await ana.json('POST', `${factorsPath}/passkeys/options`, await code())
  const passkey = await ana.request<{ id: string }>('POST', `${factorsPath}/passkeys`, {
    response: authenticator.create(options.body),
    name: 'Laptop',
  })
  await ana.request('GET', factorsPath)
  await ana.request('POST', `${factorsPath}/passkeys/request-options`)
  await ana.request('POST', `${factorsPath}/recovery-codes`, await code())
  const client = service.client()
  const { ticket } = (await client.json('POST', '/api/auth/login', { login: 'ana', password })).body
  await client.request('POST', '/api/auth/login/second-factor/options', { ticket })
  await client.request('POST', '/api/auth/login/second-factor', { ticket, ...(await code()) })
  await ana.request('DELETE', `${factorsPath}/passkeys/${passkey.id}`, await code())
  await ana.request('DELETE', `${factorsPath}/totp`, await code())
}

async function removeAll(
  service: TestService,
  ana: TestClient,
  ben: TestClient,
  { serverId, channelId, benId, applicationId }: Place & Application,
  bot: RecordedSession,
): Promise<void> {
  await ben.request('PATCH', '/api/users/@me', { displayName: 'Ben Claes' })
  const member = `/api/servers/${serverId}/members/${benId}`
  const timedOutUntil = new Date(service.clock.now() + 3_600_000).toISOString()
  await ana.request('PATCH', member, { timedOutUntil })
  await ana.request('DELETE', member)
  const ban = `/api/servers/${serverId}/bans/${benId}`
  await ana.request('PUT', ban, { reason: 'Posts advertisements', deleteMessageSeconds: 3600 })
  await ana.request('GET', ban)
  await ana.request('GET', `/api/servers/${serverId}/bans`)
  await ana.request('DELETE', ban)
  await bot.resume()
  await bot.startAgain()
  await ana.request('DELETE', `/api/channels/${channelId}`)
  await ana.request('DELETE', `/api/applications/${applicationId}`)
  await ana.request('DELETE', `/api/servers/${serverId}`)
}
