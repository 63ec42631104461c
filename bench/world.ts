import { type Browser, createBrowser } from '../tools/demo/browser.ts'
import type { TokenClient } from './load/scenarios.ts'

/** The records that the benchmarks use. They are created through the API of a running service. */
export interface World {
  cookie: string
  userId: string
  serverId: string
  channelId: string
  client: TokenClient
  bot: { token: string; commandId: string }
  /** The path of a webhook URL. */
  webhook: string
}

interface WithId {
  id: string
}

const redirectUri = 'https://app.example/callback'

export async function makeWorld(url: string): Promise<World> {
  const ana = createBrowser(url)
  const account = { username: 'ana', email: 'ana@example.org', password: 'open-the-gate' }
  const { id: userId } = await ana.json<WithId>('POST', '/api/auth/register', account)
  const { id: serverId } = await ana.json<WithId>('POST', '/api/servers', { name: 'The Harbour' })
  const [general] = await ana.json<WithId[]>('GET', `/api/servers/${serverId}/channels`)
  const channelId = general?.id ?? ''
  const application = await ana.json<WithId & { clientSecret: string }>('POST', '/api/applications', {
    name: 'Lighthouse',
    type: 'confidential',
    redirectUris: [redirectUri],
  })
  const client = { id: application.id, secret: application.clientSecret, redirectUri }
  const webhook = await ana.json<{ url: string }>('POST', `/api/channels/${channelId}/webhooks`, {
    name: 'Alerts',
  })
  const bot = await addBot(ana, url, application.id, serverId)
  for (const scope of ['identify', 'openid']) await ana.submitForm(authorizePath(client, scope), 'allow')
  return {
    cookie: ana.cookie(),
    userId,
    serverId,
    channelId,
    client,
    bot,
    webhook: new URL(webhook.url).pathname,
  }
}

/** The authorization request. After the consent, its response is a redirect with an authorization code. */
export function authorizePath(client: TokenClient, scope: string): string {
  const query = {
    client_id: client.id,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope,
    state: 's',
  }
  return `/oauth2/authorize?${new URLSearchParams(query)}`
}

async function addBot(
  ana: Browser,
  url: string,
  applicationId: string,
  serverId: string,
): Promise<World['bot']> {
  const { token } = await ana.json<{ token: string }>('POST', `/api/applications/${applicationId}/bot`, {
    username: 'dice',
  })
  const install = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: String((1n << 10n) | (1n << 11n)),
    server_id: serverId,
  })
  await ana.submitForm(`/oauth2/authorize?${install}`, 'allow')
  const response = await fetch(new URL('/api/applications/@me/commands', url), {
    method: 'PUT',
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ name: 'roll', description: 'Rolls dice' }]),
  })
  // Not validated: the API contract defines the shape.
  const [command] = (await response.json()) as WithId[]
  return { token, commandId: command?.id ?? '' }
}
