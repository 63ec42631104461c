import assert from 'node:assert/strict'
import { allow, makeApplication, signUp, type TestApplication, type TestPerson } from '../../oauth/testing.ts'
import { found, type Person } from '../../platform/testing.ts'
import type { Reply, TestService } from '../../testing.ts'

/** A developer, a member and a stranger, a server of the developer's, and an application whose bot is nowhere yet. */
export interface Console {
  owner: TestPerson
  member: TestPerson
  stranger: TestPerson
  serverId: string
  channelId: string
  application: TestApplication
  path: string
  botId: string
  /** A request with the bot's token. */
  bot(method: string, path: string, body?: unknown): Promise<Reply>
  /** Adds the application by the consent page, with what the scopes say. */
  install(scope: string, permissions?: bigint): Promise<void>
}

export async function openConsole(service: TestService): Promise<Console> {
  const [owner, member, stranger] = [
    await signUp(service, 'owner'),
    await signUp(service, 'member'),
    await signUp(service, 'stranger'),
  ]
  const { server, general } = await found(asPerson(owner), asPerson(member))
  const application = await makeApplication(owner, { name: 'Dice' })
  const path = `/api/applications/${application.id}`
  const made = await owner.client.json('POST', `${path}/bot`, { username: 'dice' })
  assert.equal(made.status, 201, made.text)
  const headers = { authorization: `Bot ${made.body.token}` }
  return {
    owner,
    member,
    stranger,
    serverId: server.id,
    channelId: general.id,
    application,
    path,
    botId: made.body.bot.id,
    bot: (method, address, body) => service.client().json(method, address, body, headers),
    async install(scope, permissions = 0n) {
      await allow(owner, application, { scope, permissions: String(permissions) }, { server_id: server.id })
    },
  }
}

function asPerson({ id, client }: TestPerson): Person {
  return { id, client }
}

/** What every route for the session of the owner refuses alike: without a session, from another site, to a stranger. */
export async function assertOwnerAlone(
  { stranger, owner }: Console,
  service: TestService,
  send: (client: TestPerson['client'], headers: Record<string, string>) => Promise<Reply>,
): Promise<void> {
  const nobody = await send(service.client(), {})
  assert.equal(nobody.status, 401, nobody.text)
  assert.equal(nobody.body.code, 'unauthenticated')
  assert.equal(nobody.headers.get('www-authenticate'), 'Session')
  const bearer = await send(service.client(), { authorization: `Bearer gat_${'a'.repeat(49)}` })
  assert.equal(bearer.status, 401, bearer.text)
  const crossed = await send(owner.client, { 'sec-fetch-site': 'cross-site' })
  assert.equal(crossed.status, 403, crossed.text)
  assert.equal(crossed.body.code, 'cross_site')
  const other = await send(stranger.client, {})
  assert.equal(other.status, 404, other.text)
  assert.equal(other.body.code, 'not_found')
}

export const png: Uint8Array<ArrayBuffer> = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
