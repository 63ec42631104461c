import type { Channel } from '@gatehouse/protocol/channels'
import { Permission } from '@gatehouse/protocol/permissions'
import type { Server } from '@gatehouse/protocol/servers'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'

/** A bot that was written for Discord's API, on a server with two people. */
export interface DiscordBotSetup {
  service: TestService
  owner: TestUser
  ann: TestUser
  server: Server
  general: Channel
  bot: { botId: string; applicationId: string; token: string }
  /** Sends a request to a path below `/api/v10`. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>
  /** Sends a body as it is. */
  sendText(method: string, path: string, text: string, type?: string): Promise<TestResponse>
  /** As `send`; returns the body of a successful response. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse['body']>
}

async function setUpDiscordBot(
  service: TestService,
  permissions: bigint = Permission.ADMINISTRATOR,
): Promise<DiscordBotSetup> {
  const [owner, ann] = [await register(service, 'owner'), await register(service, 'ann')]
  const { server, general } = await createServer(owner, ann)
  const bot = await createBotApplication(owner.client, { name: 'Helper' }, { username: 'helper' })
  await addBot(owner.client, bot.applicationId, server.id, permissions)
  const client = service.client()
  const send: DiscordBotSetup['send'] = (method, path, body, headers = {}) =>
    client.json(method, `/api/v10${path}`, body, { authorization: `Bot ${bot.token}`, ...headers })
  return {
    ...{ service, owner, ann, server, general, bot, send },
    sendText(method, path, body, type = 'application/json') {
      const headers = { authorization: `Bot ${bot.token}`, 'content-type': type }
      return client.send(`/api/v10${path}`, { method, headers, body })
    },
    async call(method, path, body, headers) {
      const reply = await send(method, path, body, headers)
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
      return reply.body
    },
  }
}

/** Runs a test with the bot on each database engine. */
export function eachDiscordBot(
  name: string,
  run: (setup: DiscordBotSetup) => Promise<void>,
  { permissions, env }: { permissions?: bigint; env?: Record<string, string> } = {},
): void {
  const options = env === undefined ? {} : { env }
  eachService(name, async (_t, service) => run(await setUpDiscordBot(service, permissions)), options)
}
