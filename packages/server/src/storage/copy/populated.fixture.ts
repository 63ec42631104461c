import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import type { TestClient, TestService } from '@gatehouse/testkit/service'
import {
  addTotp,
  createAuthenticator,
  createTicket,
  factorsPath,
  totpCode,
} from '../../accounts/second-factor/second-factor-testing.ts'
import { password, verifyEmail } from '../../accounts/users/users-testing.ts'
import { createBot, putCommands, rollCommand } from '../../interactions/interactions-testing.ts'
import { makeApplication, refresh, type TestApplication, tokensFor } from '../../oauth/oauth-testing.ts'
import { createWebhook } from '../../webhooks/webhooks-testing.ts'

export interface Populated {
  /** The callers by name, each with its valid credential. */
  callers: Record<string, { client: TestClient; headers: Readonly<Record<string, string>> }>
  /** The values of the parameters of paths, by the path up to the parameter. */
  parameters: Record<string, string>
  application: TestApplication
  refreshToken: string
  webhookPath: string
  totpSecret: string
}

/** Uses the API, so that every table of the database has rows. */
export async function populate(service: TestService): Promise<Populated> {
  const [ana, ben] = [await register(service, 'ana', password), await register(service, 'ben', password)]
  await verifyEmail(service, ana.client)
  // The former username stays reserved.
  for (const username of ['anna', 'ana']) {
    await ana.client.request('PATCH', '/api/users/@me', { username, currentPassword: password })
  }
  const { server, general } = await createServer(ana, ben)
  const serverPath = `/api/servers/${server.id}`
  const { code: invite } = await ana.client.request<{ code: string }>('POST', `${serverPath}/invites`, {})
  const role = await ana.client.request<{ id: string }>('POST', `${serverPath}/roles`, {
    name: 'Crew',
    permissions: '0',
  })
  await ana.client.request('PUT', `${serverPath}/members/${ben.id}/roles/${role.id}`)
  const offer = { userId: ben.id, currentPassword: password }
  await ana.client.request('PUT', `${serverPath}/ownership-transfer`, offer)
  const other = await register(service, 'cleo', password)
  await other.client.request('POST', `/api/invites/${invite}`)
  const timedOutUntil = new Date(service.clock.now() + 60_000).toISOString()
  await ana.client.request('PATCH', `${serverPath}/members/${other.id}`, { timedOutUntil })
  await ana.client.request('PUT', `${serverPath}/bans/${other.id}`, { reason: 'Spam' })
  await ana.client.request('PUT', `/api/users/@me/blocks/${other.id}`)
  const overwrite = { type: 'role', allow: String(Permission.SEND_MESSAGES), deny: '0' }
  await ana.client.request('PUT', `/api/channels/${general.id}/overwrites/${role.id}`, overwrite)
  const { avatar } = await sendImage(ana.client, '/api/users/@me/avatar')
  await sendImage(ana.client, `${serverPath}/icon`)

  const messages = `/api/channels/${general.id}/messages`
  const send = (client: TestClient, content: string, path = messages) =>
    client.request<{ id: string }>('POST', path, { content, nonce: `nonce of ${content.length}` })
  const message = await send(ana.client, `Привет, <@${ben.id}> 🎲\n"quoted" \\ and a tab\t, 1e5, null`)
  await send(ben.client, 'An empty line follows.\n\n')
  await ben.client.request('PATCH', `${messages}/${(await send(ben.client, 'Typo')).id}`, {
    content: 'Fixed',
  })
  for (const slowMode of [5, 0]) {
    await ana.client.request('PATCH', `/api/channels/${general.id}`, { slowMode })
    await send(ben.client, `Slow mode ${slowMode || 'off'}`)
  }
  await ben.client.request('PUT', `/api/channels/${general.id}/read`, { messageId: message.id })
  const direct = await ana.client.request<{ id: string }>('POST', '/api/users/@me/channels', {
    recipientId: ben.id,
  })
  await send(ben.client, 'Only for you', `/api/channels/${direct.id}/messages`)
  await ben.client.request('POST', `${messages}/${message.id}/reports`, { reason: 'Off topic' })

  const webhook = await createWebhook(ana, general.id)
  const webhookPath = new URL(webhook.url).pathname
  const embeds = [
    { title: 'Build 7', color: 0xe01e5a, fields: [{ name: 'Branch', value: 'main', inline: true }] },
  ]
  const posted = await ana.client.request<{ id: string }>('POST', `${webhookPath}?wait=true`, { embeds })
  assert.equal((await ana.client.json('POST', webhookPath, { content: '' })).status, 400)

  const bot = await createBot(service, ana, 'dice_bot')
  await addBot(ana.client, bot.applicationId, server.id, Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES)
  await sendImage(ana.client, `/api/applications/${bot.applicationId}/icon`)
  const defaultMemberPermissions = String(Permission.SEND_MESSAGES)
  const { roll: commandId = '' } = await putCommands(bot, [{ ...rollCommand, defaultMemberPermissions }])
  await ana.client.request('PUT', `${serverPath}/commands/${commandId}/permissions`, [
    { type: 'channel', id: general.id, allow: true },
    { type: 'channel', id: server.id, allow: false },
    { type: 'role', id: role.id, allow: true },
    { type: 'user', id: ben.id, allow: true },
  ])
  await bot.json('PUT', `/api/applications/@me/servers/${server.id}/commands`, [
    { name: 'harvest', description: 'Lists what is ripe' },
  ])
  await bot.connect()
  const use = { channelId: general.id, commandId, options: [{ name: 'sides', value: 6 }] }
  const interaction = await ben.client.request<{ id: string }>('POST', '/api/interactions', {
    type: 'command',
    ...use,
  })
  const event = await bot.event(0)
  const button = { type: 'button', style: 'primary', label: 'Again', customId: 'again' }
  const components = [{ type: 'row', components: [button] }]
  const answered = await bot.callback(event, { type: 'message', data: { content: 'Four', components } })
  assert.equal(answered.status, 200, answered.text)

  const application = await makeApplication(ana, { backchannelLogoutUri: 'https://app.example/logout' })
  await ana.client.request('PATCH', `/api/applications/${application.id}`, {
    server: { id: server.id, membersOnly: true, requiredRoles: [role.id], groups: [{ roleId: role.id }] },
    addedScopes: ['groups'],
  })
  const first = await tokensFor(service, ben, application, { scope: 'openid identify email servers' })
  const tokens = await refresh(service, application, first.refresh_token)
  assert.equal(tokens.status, 200, tokens.text)
  const withdrawn = await makeApplication(ana)
  await tokensFor(service, ben, withdrawn)
  await ben.client.request('DELETE', `/api/users/@me/authorizations/${withdrawn.id}`)

  await service.db.run`
    INSERT INTO instance_settings (id, name) VALUES (1, 'Garden club')
    ON CONFLICT (id) DO UPDATE SET name = excluded.name`

  await service.db.run`
    INSERT INTO message_deletions (id, server_id, author_ids, since, due_at)
    VALUES ('1', ${server.id}, '[]', ${service.clock.now()}, ${service.clock.now() + 3_600_000})`

  await service.db.run`
    INSERT INTO sign_in_failures (application_id, id, endpoint, error, reason, count, created_at, last_at)
    VALUES (${application.id}, '1', 'token', 'invalid_grant', 'The code has expired.', 2,
      ${service.clock.now()}, ${service.clock.now()})`

  const { secret: totpSecret } = await addTotp(service, ana.client)
  const proof = async () => {
    service.clock.advance(30_000)
    return { code: await totpCode(service, totpSecret) }
  }
  const options = await ana.client.json('POST', `${factorsPath}/passkeys/options`, await proof())
  const response = createAuthenticator(service.url).create(options.body)
  await ana.client.request('POST', `${factorsPath}/passkeys`, { response, name: 'Laptop' })
  await createTicket(service.client(), 'ana')
  service.clock.advance(30_000)

  const anyone = service.client()
  const [, , kind = '', ownerId = '', hash = ''] = avatar.split('/')
  return {
    callers: {
      ana: { client: ana.client, headers: {} },
      ben: { client: ben.client, headers: {} },
      bot: { client: anyone, headers: { authorization: `Bot ${bot.token}` } },
      application: { client: anyone, headers: { authorization: `Bearer ${tokens.body.access_token}` } },
      anyone: { client: anyone, headers: {} },
    },
    parameters: {
      '/api/servers/{id}': server.id,
      '/api/servers/{id}/members/{userId}': ben.id,
      '/api/servers/{id}/bans/{userId}': other.id,
      '/api/servers/{id}/commands/{commandId}': commandId,
      '/api/channels/{id}': general.id,
      '/api/channels/{id}/messages/{messageId}': message.id,
      '/api/channels/{channelId}': general.id,
      '/api/channels/{channelId}/webhooks/{id}': webhook.id,
      '/api/invites/{code}': invite,
      '/api/applications/{id}': bot.applicationId,
      '/api/applications/@me/servers/{serverId}': server.id,
      '/api/interactions/{id}': interaction.id,
      '/api/interactions/{id}/{token}': event.token,
      '/api/webhooks/{id}': webhook.id,
      '/api/webhooks/{id}/{token}': webhookPath.split('/')[4] ?? '',
      '/api/webhooks/{id}/{token}/messages/{messageId}': posted.id,
      '/images/{kind}': kind,
      '/images/{kind}/{id}': ownerId,
      '/images/{kind}/{id}/{hash}': hash,
    },
    application,
    refreshToken: tokens.body.refresh_token,
    webhookPath,
    totpSecret,
  }
}

async function sendImage(client: TestClient, path: string): Promise<{ avatar: string }> {
  const reply = await client.send(path, {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: png,
  })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

/** No caller is an administrator: 0.3.0 had none. */
const forAdministrators = '/api/admin/'

/** The responses differ in each process, or are forms with a new token. */
const changing = ['/metrics', '/oauth2/authorize', '/oauth2/logout']

type Responses = Record<string, { status: number; type: string | null; text: string }>

/** Sends every GET request of the API document as every caller. */
export async function readAll(service: TestService, { callers, parameters }: Populated): Promise<Responses> {
  const { paths } = (await service.client().get('/api/openapi.json')).body
  const templates = Object.keys(paths).filter(
    path => paths[path].get && !changing.includes(path) && !path.startsWith(forAdministrators),
  )
  const responses: Responses = {}
  for (const template of templates) {
    const path = fill(template, parameters)
    const requests = Object.entries(callers).map(async ([name, { client, headers }]) => {
      const reply = await client.get(path, headers)
      const type = reply.headers.get('content-type')
      responses[`${template} ${name}`] = { status: reply.status, type, text: reply.text }
    })
    await Promise.all(requests)
    const succeeded = Object.keys(callers).some(
      name => (responses[`${template} ${name}`]?.status ?? 400) < 400,
    )
    assert.ok(succeeded, `${path}: ${JSON.stringify(responses[`${template} ana`])}`)
  }
  assert.ok(templates.length > 40, `${templates.length} operations`)
  return responses
}

function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{\w+\}/g, (name, start: number) => {
    // Below `/api/users/@me/servers/` are the same servers.
    const value = parameters[template.slice(0, start + name.length).replace('/users/@me', '')]
    assert.ok(value, `${template} has a parameter that the test does not know`)
    return value
  })
}
