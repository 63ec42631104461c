import { randomBytes } from 'node:crypto'
import { installBot } from './applications.ts'
import { createServer, register, type TestUser } from './community.ts'
import type { TestService } from './service.ts'

/** A user with a server, a webhook, and an application whose bot has the command `roll`. */
export interface Fixture {
  user: TestUser
  /** The session of the user, as the value of a `Cookie` header. */
  cookie: string
  serverId: string
  channelId: string
  application: OAuthClient
  bot: { token: string; commandId: string }
  /** The path of the webhook URL. */
  webhookPath: string
}

export interface OAuthClient {
  id: string
  secret: string
  redirectUri: string
}

export const username = 'ana'
export const password = 'open-the-gate'
const redirectUri = 'https://app.example/callback'

/** Creates the records of a fixture through the API. */
export async function createFixture(service: Pick<TestService, 'client'>, name = username): Promise<Fixture> {
  const user = await register(service, name, password)
  const { client } = user
  const { server, general } = await createServer(user)
  const { applicationId, clientSecret, token, commandId } = await installRollBot(service, user, server.id, {
    redirectUris: [redirectUri],
  })
  const application = { id: applicationId, secret: clientSecret, redirectUri }
  const webhook = await client.call('createWebhook', { channelId: general.id, body: { name: 'Alerts' } })
  // Later authorization requests skip the consent page.
  for (const scope of ['identify', 'openid'])
    await client.submitForm(authorizationPath(application, scope), 'allow')
  return {
    user,
    cookie: client.cookieHeader(),
    serverId: server.id,
    channelId: general.id,
    application,
    bot: { token, commandId },
    webhookPath: new URL(webhook.url ?? '').pathname,
  }
}

/**
 * Creates an application of the user whose bot has the command `roll`, and installs it. `fields` are further ones of
 * the application.
 */
export async function installRollBot(
  service: Pick<TestService, 'client'>,
  { client }: Pick<TestUser, 'client'>,
  serverId: string,
  fields: object = {},
) {
  const installed = await installBot(client, serverId, { name: 'Dice', ...fields })
  const [command] = await service.client().call('replaceCommands', {
    body: [{ name: 'roll', description: 'Rolls dice' }],
    headers: { authorization: `Bot ${installed.token}` },
  })
  return { ...installed, commandId: command?.id ?? '' }
}

/** Registers users who join the server of the fixture. Requires `RATE_LIMITS=off`. */
export async function addMembers(
  service: Pick<TestService, 'client'>,
  { user, serverId }: Pick<Fixture, 'user' | 'serverId'>,
  count: number,
): Promise<TestUser[]> {
  const { code } = await user.client.call('createInvite', { id: serverId })
  const prefix = `m${randomBytes(6).toString('hex')}`
  const members: TestUser[] = []
  while (members.length < count) {
    const member = await register(service, `${prefix}${members.length}`)
    await member.client.call('acceptInvite', { code })
    members.push(member)
  }
  return members
}

/** An authorization request for a code. */
export function authorizationPath({ id, redirectUri }: OAuthClient, scope: string): string {
  const parameters = { client_id: id, redirect_uri: redirectUri, response_type: 'code', scope, state: 's' }
  return `/oauth2/authorize?${new URLSearchParams(parameters)}`
}
