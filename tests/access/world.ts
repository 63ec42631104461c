import { defaultEveryone, formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { subjects } from '@gatehouse/testkit/gateway'
import { createBot, putCommands, type TestBot } from '@gatehouse/testkit/interactions'
import { makeApplication, type TestApplication, tokensFor } from '@gatehouse/testkit/oauth'
import type { TestClient, TestService } from '@gatehouse/testkit/service'

/** The users of the table. `target` is the member whom the others change. */
const usernames = [
  ...['owner', 'admin', 'with', 'w/o', 'member'],
  ...['timed', 'left', 'ban', 'other', 'target', 'operator'],
] as const
type Username = (typeof usernames)[number]

/** What exists before the requests. Records are those of the owner. */
export interface World {
  service: TestService
  users: Record<Username, TestUser>
  serverId: string
  channelId: string
  /** An application with a bot on the server, and one of the other user, whose bot is on no server. */
  bots: Record<'bot' | 'bot-' | 'other-bot', TestBot>
  commandId: string
  suggestingCommandId: string
  application: TestApplication
  /** The example of the JSON body of each route that the API document has. */
  examples: ReadonlyMap<string, unknown>
  /** Of the owner, with all scopes. */
  accessToken: string
  /** Sets what the roles of `with` and `bot`, and of `w/o` and `bot-` allow. */
  setPermission(permission: bigint): Promise<void>
  /** The roles of `with` and `bot`. */
  holders: readonly string[]
}

const moderator = Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES
const all = Object.values(Permission).reduce((set, bit) => set | bit, 0n) & ~Permission.ADMINISTRATOR

const word = { type: 'string', name: 'word', description: 'Which', autocomplete: true }
export const commands = [
  { name: 'go', description: 'Goes' },
  { name: 'find', description: 'Finds', options: [word] },
]

export function newUser({ client }: TestService, name = 'user'): Promise<TestUser> {
  return register({ client }, uniqueName(name))
}

let names = 0
export const uniqueName = (name = 'name') => `${name.replace('/', '_')}${names++}`

export async function createWorld(service: TestService): Promise<World> {
  const entries: [string, TestUser][] = []
  for (const name of usernames) entries.push([name, await newUser(service, name)])
  const users = Object.fromEntries(entries) as World['users']
  await service.db.run`UPDATE users SET email_verified = 1`
  await service.db.run`UPDATE users SET administrator = 1 WHERE id = ${users.operator.id}`
  const { owner, other, operator: _, ...others } = users
  const { server, general } = await createServer(owner, ...Object.values(others))
  const path = `/api/servers/${server.id}`

  const send = (method: string, rest: string, body?: object) =>
    owner.client.request<{ id: string }>(method, path + rest, body)
  async function addRole(userId: string, permissions: bigint): Promise<string> {
    const body = { name: 'role', permissions: formatPermissions(permissions), position: 5 }
    const { id } = await send('POST', '/roles', body)
    await send('PUT', `/members/${userId}/roles/${id}`)
    return id
  }

  await send('PATCH', `/roles/${server.id}`, { permissions: '0' })
  const bots = {
    bot: await createBot(service, owner, uniqueName('bot')),
    'bot-': await createBot(service, owner, uniqueName('bot')),
    'other-bot': await createBot(service, other, uniqueName('bot')),
  }
  await addBot(owner.client, bots.bot.applicationId, server.id, 0n)
  await addBot(owner.client, bots['bot-'].applicationId, server.id, 0n)
  await addRole(users.admin.id, Permission.ADMINISTRATOR)
  await addRole(users.member.id, defaultEveryone)
  await addRole(users.timed.id, all)
  const holders = [await addRole(users.with.id, 0n), await addRole(bots.bot.botId, 0n)]
  const lacking = [await addRole(users['w/o'].id, 0n), await addRole(bots['bot-'].botId, 0n)]
  await send('PUT', `/bans/${users.ban.id}`, {})
  await users.left.client.request('DELETE', `${path}/members/@me`)
  const timedOutUntil = new Date(service.clock.now() + 20 * 24 * 3_600_000).toISOString()
  await send('PATCH', `/members/${users.timed.id}`, { timedOutUntil })

  await connect(service, bots.bot)
  const { go = '', find = '' } = await putCommands(bots.bot, commands)
  const application = await makeApplication(owner)
  const scope = 'openid identify email servers servers.members.read'
  const tokens = await tokensFor(service, owner, application, { scope })
  async function setPermission(permission: bigint): Promise<void> {
    const set = async (ids: string[], permissions: bigint) => {
      for (const id of ids)
        await send('PATCH', `/roles/${id}`, { permissions: formatPermissions(permissions) })
    }
    await set(holders, moderator | permission)
    await set(lacking, all & ~permission)
  }
  await setPermission(0n)
  return {
    ...{ service, users, serverId: server.id, channelId: general.id, bots, setPermission, holders },
    ...{ commandId: go, suggestingCommandId: find, application, accessToken: tokens.access_token },
    examples: await readExamples(service),
  }
}

async function readExamples(service: TestService): Promise<Map<string, unknown>> {
  const { paths, components } = JSON.parse((await service.client().get('/api/openapi.json')).text)
  return new Map(
    service.routes.map(({ method, path }) => {
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      const { $ref = '' } = operation?.requestBody?.content?.['application/json']?.schema ?? {}
      return [`${method} ${path}`, components.schemas[$ref.split('/').at(-1)]?.examples?.[0]]
    }),
  )
}

/** A session that answers requests for suggestions. */
async function connect(service: TestService, bot: TestBot): Promise<void> {
  const data = { choices: [{ name: 'Moss', value: 'moss' }] }
  await service.bus.respond(subjects.botSessions(bot.applicationId), async message => {
    const { d } = message as { d: TestBot['received'][number] }
    bot.received.push(d)
    if (d.type === 'autocomplete') void bot.callback(d, { type: 'autocomplete', data })
    return { delivered: true, sessionId: 'session' }
  })
}

/** A client with another session of the user. */
export async function signIn(service: TestService, { email, password }: TestUser): Promise<TestClient> {
  const client = service.client()
  await client.request('POST', '/api/auth/login', { login: email, password })
  return client
}
