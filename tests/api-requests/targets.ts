import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { addBot, createApplication } from '@gatehouse/testkit/applications'
import { subjects } from '@gatehouse/testkit/bus'
import { createServer, type TestUser } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { buttons, createBot, putCommands, type TestBot } from '@gatehouse/testkit/interactions'
import { codeFor, makeApplication, type TestApplication, tokensFor } from '@gatehouse/testkit/oauth'
import type { TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { KnownMembers } from './generate.ts'
import { newUser } from './sequences/steps.ts'

/** What a request of an operation uses. */
export interface Target {
  parameters?: Readonly<Record<string, string>>
  /** Of the body, the query and the form. */
  members?: KnownMembers
  headers?: Readonly<Record<string, string>>
  /** The signed-in user, by default the owner of the server. */
  user?: TestUser
  /** By default the bot with the command. */
  bot?: TestBot
  /** A security scheme of the operation, by default its first one. */
  scheme?: 'bot'
}

/** What exists when a request is sent. */
export interface World {
  service: TestService
  owner: TestUser
  member: TestUser
  serverId: string
  channelId: string
  bot: TestBot
  commandId: string
  /** A command of a bot that suggests values of its option `word`. */
  suggestingCommandId: string
  /** A bot whose commands change. */
  changingBot: TestBot
  /** Without a bot. */
  application: TestApplication
  /** An access token for it. */
  accessToken: string
}

export async function createWorld(service: TestService): Promise<World> {
  const [owner, member] = [await newUser(service), await newUser(service)]
  const { server, general } = await createServer(owner, member)
  const bot = await createBot(service, owner, `b${owner.username}`)
  await bot.connect()
  await addBot(owner.client, bot.applicationId, server.id)
  const changingBot = await createBot(service, owner, `c${owner.username}`)
  await addBot(owner.client, changingBot.applicationId, server.id)
  const commands = await bot.json('PUT', '/api/applications/@me/commands', [
    { name: 'go', description: 'Goes' },
  ])
  const suggestingCommandId = await createSuggestingCommand(service, owner, server.id)
  const application = await makeApplication(owner)
  const tokens = await tokensFor(service, owner, application, { scope: 'openid identify servers' })
  return {
    ...{ service, owner, member, serverId: server.id, channelId: general.id },
    ...{ bot, commandId: commands.body[0].id, suggestingCommandId, changingBot, application },
    accessToken: tokens.access_token,
  }
}

/** A command of a new bot, which responds to each request for suggestions. */
async function createSuggestingCommand(
  service: TestService,
  owner: TestUser,
  serverId: string,
): Promise<string> {
  const bot = await createBot(service, owner, `s${owner.username}`)
  await addBot(owner.client, bot.applicationId, serverId)
  const option = { type: 'string', name: 'word', description: 'Which', autocomplete: true }
  const { find } = await putCommands(bot, [{ name: 'find', description: 'Finds', options: [option] }])
  const data = { choices: [{ name: 'Moss', value: 'moss' }] }
  await service.bus.respond(subjects.botSessions(bot.applicationId), async message => {
    const { d } = message as { d: InteractionCreate }
    void bot.callback(d, { type: 'autocomplete', data })
    return { delivered: true, sessionId: 'session' }
  })
  return find ?? ''
}

function created(
  world: World,
  path: string,
  body: object,
  user = world.owner,
): Promise<Record<string, string>> {
  return user.client.request('POST', path, body)
}

async function createId(world: World, path: string, body: object = {}): Promise<string> {
  return (await created(world, path, body)).id ?? ''
}

const createServerId = (world: World) => createId(world, '/api/servers', { name: 'Server' })
const createChannelId = (world: World) =>
  createId(world, `/api/servers/${world.serverId}/channels`, { name: 'channel' })
const createRoleId = (world: World) =>
  createId(world, `/api/servers/${world.serverId}/roles`, { name: 'role', permissions: '0' })
const createMessageId = (world: World) =>
  createId(world, `/api/channels/${world.channelId}/messages`, { content: 'Hello' })

async function createInvite({ owner, serverId }: World): Promise<string> {
  const invites = `/api/servers/${serverId}/invites`
  return (await owner.client.request<{ code: string }>('POST', invites, {})).code
}

async function join(world: World): Promise<TestUser> {
  const user = await newUser(world.service)
  await user.client.request('POST', `/api/invites/${await createInvite(world)}`)
  return user
}

async function createWebhook(world: World): Promise<Record<string, string>> {
  // A channel has a limited number of webhooks.
  const channelId = await createChannelId(world)
  const webhook = await created(world, `/api/channels/${channelId}/webhooks`, { name: 'Builds' })
  return { channelId, id: webhook.id ?? '', token: webhook.token ?? '' }
}

async function createWebhookMessage(world: World): Promise<Record<string, string>> {
  const webhook = await createWebhook(world)
  const path = `/api/webhooks/${webhook.id}/${webhook.token}?wait=true`
  return { ...webhook, messageId: await createId(world, path, { content: 'Build 7' }) }
}

/** An interaction, which is answered if a body is given. */
async function createInteraction(world: World, answer?: object): Promise<Record<string, string>> {
  const { channelId, commandId, bot, owner } = world
  const body = { type: 'command', channelId, commandId }
  const { id } = await owner.client.request<{ id: string }>('POST', '/api/interactions', body)
  const event = bot.received.find(one => one.id === id)
  assert.ok(event, 'the bot received no event')
  if (answer) assert.equal((await bot.callback(event, { type: 'message', data: answer })).status, 200)
  return { id, token: event.token }
}

async function createFollowup(world: World): Promise<Record<string, string>> {
  const { id = '', token = '' } = await createInteraction(world, { content: 'Hello' })
  const event = world.bot.received.find(one => one.id === id)
  const reply = event && (await world.bot.followup(event, { content: 'More' }))
  return { id, token, messageId: reply?.body.id }
}

/** An interaction to which the bot responded with a modal. */
async function openModal(world: World): Promise<string> {
  const { id = '', token } = await createInteraction(world)
  const input = { type: 'text_input', customId: 'why', style: 'short', label: 'Why' }
  const data = { customId: 'm', title: 'M', components: [{ type: 'row', components: [input] }] }
  const path = `/api/interactions/${id}/${token}/callback`
  assert.equal((await world.bot.json('POST', path, { type: 'modal', data })).status, 200)
  return id
}

async function pressableMessage(world: World): Promise<string> {
  const body = { content: 'Press', components: buttons('go') }
  const reply = await world.bot.json('POST', `/api/channels/${world.channelId}/messages`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

function uniqueName(): string {
  return `n${randomBytes(8).toString('hex')}`
}

const issue = {
  action: 'opened',
  issue: { number: 7, title: 'Labels', html_url: 'https://github.com/example/web/issues/7' },
  repository: { full_name: 'example/web' },
  sender: { login: 'ana' },
}

const authorizeMembers = ({ application }: World): KnownMembers => ({
  client_id: application.id,
  redirect_uri: application.redirectUri,
  scope: 'identify',
})

/** A user who has just signed in, and proves it with the password. */
async function withProof({ service }: World): Promise<Target> {
  const user = await newUser(service)
  const link = /\/verify-email\?token=(\S+)/
  const find = () => service.mails.find(({ to, text }) => to === user.email && link.test(text))?.text
  await waitUntil(() => find() !== undefined)
  await user.client.request('POST', '/api/auth/email/verify', { token: link.exec(find() ?? '')?.[1] })
  return { user, members: { currentPassword: user.password, code: undefined, passkey: undefined } }
}

/** The hint signs its user out. */
async function withIdToken({ service, application }: World): Promise<Target> {
  const user = await newUser(service)
  const { id_token } = await tokensFor(service, user, application, { scope: 'openid' })
  const unregistered = { post_logout_redirect_uri: undefined }
  return { user, members: { id_token_hint: id_token, client_id: application.id, ...unregistered } }
}

const inServer = async (world: World): Promise<Target> => ({ parameters: { id: world.serverId } })
const inChannel = async ({ channelId }: World): Promise<Target> => ({
  parameters: { id: channelId, channelId },
})
const newMember = async (world: World): Promise<Target> => ({ user: await newUser(world.service) })
const ofRole = async (world: World): Promise<Target> => ({
  parameters: { id: world.serverId, roleId: await createRoleId(world), userId: world.member.id },
})
const ofBan = async (world: World): Promise<Target> => {
  const { id: userId } = await newUser(world.service)
  await world.owner.client.request('PUT', `/api/servers/${world.serverId}/bans/${userId}`, {})
  return { parameters: { id: world.serverId, userId } }
}
const ofMessage = async (world: World): Promise<Target> => {
  const messageId = await createMessageId(world)
  return { parameters: { id: world.channelId, messageId }, members: { messageId } }
}
const ofApplication = async ({ application }: World): Promise<Target> => ({
  parameters: { id: application.id },
})
const ofNewApplication = async (world: World): Promise<Target> => {
  const user = await newUser(world.service)
  return { user, parameters: { id: (await createApplication(user.client)).id } }
}
const ofWebhook = async (world: World): Promise<Target> => ({
  parameters: await createWebhook(world),
  members: { channelId: undefined, '{}': issue },
  headers: { 'x-github-event': 'issues' },
})
const ofWebhookMessage = async (world: World): Promise<Target> => ({
  parameters: await createWebhookMessage(world),
})
const ofInteraction = async (world: World): Promise<Target> => ({
  parameters: await createInteraction(world),
})
const ofResponse = async (world: World): Promise<Target> => ({
  parameters: await createInteraction(world, { content: 'Hello' }),
})
const ofFollowup = async (world: World): Promise<Target> => ({ parameters: await createFollowup(world) })

/** By `operationId`. Operations that need nothing that exists are not in it. */
export const targets: Readonly<Record<string, (world: World) => Promise<Target>>> = {
  register: async world => ({
    members: {
      username: uniqueName(),
      email: `${uniqueName()}@example.org`,
      invite: await createInvite(world),
    },
  }),
  logIn: async ({ owner }) => ({ members: { login: owner.username, password: owner.password } }),
  updateCurrentUser: async ({ service }) => {
    const user = await newUser(service)
    const unique = { username: uniqueName(), email: `${uniqueName()}@example.org` }
    return { user, members: { ...unique, currentPassword: user.password } }
  },
  logOut: newMember,
  endOtherSessions: newMember,
  revokeSession: async ({ service }) => {
    const user = await newUser(service)
    const [session] = await user.client.request<{ id: string }[]>('GET', '/api/users/@me/sessions')
    return { user, parameters: { id: session?.id ?? '' } }
  },
  resendVerificationEmail: newMember,
  startTotp: withProof,
  removeTotp: withProof,
  createPasskeyOptions: withProof,
  removePasskey: async world => ({ ...(await withProof(world)), parameters: { id: world.serverId } }),
  renewRecoveryCodes: withProof,
  confirmTotp: newMember,
  addPasskey: newMember,
  createPasskeyProofOptions: newMember,
  getImage: async ({ owner }) => {
    const { avatar } = (await owner.client.send('/api/users/@me/avatar', imageInit)).body
    const [, , kind = '', id = '', hash = ''] = avatar.split('/')
    return { parameters: { kind, id, hash } }
  },
  createServer: newMember,
  getServer: inServer,
  updateServer: inServer,
  deleteServer: async world => ({ parameters: { id: await createServerId(world) } }),
  setServerIcon: inServer,
  deleteServerIcon: inServer,
  listChannels: inServer,
  createChannel: async world => ({ parameters: { id: await createServerId(world) } }),
  getChannel: inChannel,
  updateChannel: inChannel,
  deleteChannel: async world => ({ parameters: { id: await createChannelId(world) } }),
  openDirectMessage: async ({ member }) => ({ members: { recipientId: member.id } }),
  putOverwrite: async world => ({
    parameters: { id: world.channelId, targetId: await createRoleId(world) },
    members: { type: 'role' },
  }),
  deleteOverwrite: async world => {
    const targetId = await createRoleId(world)
    const path = `/api/channels/${world.channelId}/overwrites/${targetId}`
    await world.owner.client.request('PUT', path, { type: 'role', allow: '0', deny: '0' })
    return { parameters: { id: world.channelId, targetId } }
  },
  listRoles: inServer,
  createRole: inServer,
  updateRole: ofRole,
  deleteRole: ofRole,
  listMembers: async world => ({ ...(await inServer(world)), members: { channelId: world.channelId } }),
  getMember: async world => ({ parameters: { id: world.serverId, userId: world.member.id } }),
  removeMember: async world => ({ parameters: { id: world.serverId, userId: (await join(world)).id } }),
  updateMember: async world => ({
    parameters: { id: world.serverId, userId: world.member.id },
    members: { timedOutUntil: new Date(world.service.clock.now() + 60_000).toISOString() },
  }),
  listBans: inServer,
  getBan: ofBan,
  createBan: async world => ({ parameters: { id: world.serverId, userId: (await join(world)).id } }),
  deleteBan: ofBan,
  listServerCommandPermissions: inServer,
  // The id of a role, member or channel depends on the type: the id of the server is that of @everyone and of all channels.
  replaceServerCommandPermissions: async ({ serverId, commandId }) => ({
    parameters: { id: serverId, commandId },
    members: { type: 'role', id: serverId },
  }),
  addMemberRole: ofRole,
  removeMemberRole: ofRole,
  listInvites: inServer,
  createInvite: async world => ({ parameters: { id: await createServerId(world) } }),
  getInvite: async world => ({ parameters: { code: await createInvite(world) } }),
  acceptInvite: async world => ({
    user: await newUser(world.service),
    parameters: { code: await createInvite(world) },
  }),
  revokeInvite: async world => ({ parameters: { code: await createInvite(world) } }),
  listMessages: inChannel,
  // Only bots send embeds and components.
  createMessage: async world => ({ ...(await inChannel(world)), scheme: 'bot' }),
  getMessage: ofMessage,
  updateMessage: async world => ({
    parameters: { id: world.channelId, messageId: await pressableMessage(world) },
    scheme: 'bot',
  }),
  deleteMessage: ofMessage,
  markChannelRead: ofMessage,
  createApplication: newMember,
  getApplication: ofApplication,
  updateApplication: async world => ({
    ...(await ofNewApplication(world)),
    // The service asks the endpoint.
    members: { interactionsEndpointUrl: undefined },
  }),
  setApplicationIcon: ofApplication,
  deleteApplication: ofNewApplication,
  resetClientSecret: ofNewApplication,
  createBot: async world => ({ ...(await ofNewApplication(world)), members: { username: uniqueName() } }),
  resetBotToken: async world => {
    const target = await ofNewApplication(world)
    const { user, parameters } = target
    await user?.client.request('POST', `/api/applications/${parameters?.id}/bot`, {})
    return target
  },
  listApplicationCommands: ofApplication,
  listServerCommands: async ({ serverId }) => ({ parameters: { serverId } }),
  replaceCommands: async ({ changingBot }) => ({ bot: changingBot }),
  replaceServerCommands: async ({ changingBot, serverId }) => ({
    bot: changingBot,
    parameters: { serverId },
  }),
  listIntegrations: inServer,
  authorize: async world => ({ members: authorizeMembers(world) }),
  authorizeByForm: async world => ({ members: authorizeMembers(world) }),
  startLogout: withIdToken,
  startLogoutByForm: withIdToken,
  createToken: async ({ owner, application }) => ({
    members: {
      ...{
        grant_type: 'authorization_code',
        code: await codeFor(owner, application),
        code_verifier: undefined,
      },
      ...{
        redirect_uri: application.redirectUri,
        client_id: application.id,
        client_secret: application.secret,
      },
    },
  }),
  introspectToken: async ({ application, accessToken }) => ({
    members: { token: accessToken, client_id: application.id, client_secret: application.secret },
  }),
  getUserInfoByForm: async () => ({ members: { access_token: undefined } }),
  revokeAuthorization: async ({ service, owner }) => {
    const application = await makeApplication(await newUser(service))
    await codeFor(owner, application)
    return { parameters: { applicationId: application.id } }
  },
  listAvailableCommands: inChannel,
  createInteraction: async world => ({
    members: {
      ...{ channelId: world.channelId, commandId: world.commandId, options: undefined },
      ...{ messageId: await pressableMessage(world), customId: 'go', values: undefined },
      ...{ targetId: undefined, interactionId: await openModal(world) },
      components: [{ customId: 'why', value: 'Because' }],
    },
  }),
  autocompleteOption: async ({ channelId, suggestingCommandId }) => ({
    members: {
      ...{ channelId, commandId: suggestingCommandId, focused: 'word' },
      options: [{ name: 'word', value: 'mo' }],
    },
  }),
  getInteraction: ofInteraction,
  listInteractions: async ({ bot }) => ({ parameters: { id: bot.applicationId } }),
  createCallback: ofInteraction,
  createFollowup: ofResponse,
  updateFollowup: ofFollowup,
  deleteFollowup: ofFollowup,
  getOriginalResponse: ofResponse,
  updateOriginalResponse: ofResponse,
  deleteOriginalResponse: ofResponse,
  tryCommand: async ({ bot, channelId, commandId }) => ({
    parameters: { id: bot.applicationId },
    members: { channelId, commandId, options: undefined, targetId: undefined },
  }),
  listWebhooks: inChannel,
  createWebhook: async world => ({ parameters: { channelId: await createChannelId(world) } }),
  updateWebhook: ofWebhook,
  deleteWebhook: ofWebhook,
  executeWebhook: ofWebhook,
  getWebhookByToken: ofWebhook,
  updateWebhookByToken: ofWebhook,
  deleteWebhookByToken: ofWebhook,
  resetWebhookToken: ofWebhook,
  listDeliveries: ofWebhook,
  executeSlackWebhook: ofWebhook,
  executeGithubWebhook: ofWebhook,
  getWebhookMessage: ofWebhookMessage,
  updateWebhookMessage: ofWebhookMessage,
  deleteWebhookMessage: ofWebhookMessage,
}

export const imageInit = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: png }
