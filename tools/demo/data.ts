import { createBrowser } from './browser.ts'

export interface DemoData {
  users: { username: string; password: string; displayName: string }[]
  serverName: string
  bot: { token: string; applicationId: string }
  site: { clientId: string; clientSecret: string; publicClientId: string }
  webhookUrl: string
}

interface WithId {
  id: string
}

const password = 'open-the-gate'
// VIEW_CHANNEL, SEND_MESSAGES and EMBED_LINKS.
const botPermissions = (1n << 10n) | (1n << 11n) | (1n << 14n)

/** Creates users, a server, a bot, two OAuth clients and a webhook with the public API. */
export async function createDemoData(url: string, siteUrl: string): Promise<DemoData> {
  const users = [
    { username: 'ana', displayName: 'Ana', password },
    { username: 'boris', displayName: 'Борис', password },
  ]
  const ana = createBrowser(url)
  const boris = createBrowser(url)
  await ana.json('POST', '/api/auth/register', { ...users[0], email: 'ana@example.org' })
  await boris.json('POST', '/api/auth/register', { ...users[1], email: 'boris@example.org' })

  const serverName = 'The Harbour'
  const server = await ana.json<WithId>('POST', '/api/servers', { name: serverName })
  const [general] = await ana.json<WithId[]>('GET', `/api/servers/${server.id}/channels`)
  const channels = `/api/servers/${server.id}/channels`
  await ana.json('POST', channels, { name: 'games', topic: 'Roll the dice with /roll' })
  const deploys = await ana.json<WithId>('POST', channels, {
    name: 'deploys',
    topic: 'What the machines say',
  })
  const invite = await ana.json<{ code: string }>('POST', `/api/servers/${server.id}/invites`, {})
  await boris.json('POST', `/api/invites/${invite.code}`)
  await ana.json('POST', `/api/channels/${general?.id}/messages`, {
    content: 'Welcome to **The Harbour**! Type `/` to see what the dice bot can do.',
  })
  await boris.json('POST', `/api/channels/${general?.id}/messages`, {
    content: 'Привет! Let me try `/roll`.',
  })

  const dice = await ana.json<WithId>('POST', '/api/applications', { name: 'Dice', type: 'confidential' })
  const { token } = await ana.json<{ token: string }>('POST', `/api/applications/${dice.id}/bot`, {
    username: 'dice',
  })
  const install = new URLSearchParams({
    client_id: dice.id,
    scope: 'bot applications.commands',
    permissions: String(botPermissions),
    server_id: server.id,
  })
  await ana.submitForm(`/oauth2/authorize?${install}`, 'allow')

  const site = await ana.json<WithId & { clientSecret: string }>('POST', '/api/applications', {
    name: 'Lighthouse',
    description: 'A little site that signs people in.',
    type: 'confidential',
    redirectUris: [`${siteUrl}/callback`],
  })
  const browserOnly = await ana.json<WithId>('POST', '/api/applications', {
    name: 'Lighthouse in the browser',
    description: 'The same site without a secret.',
    type: 'public',
    redirectUris: [`${siteUrl}/browser`],
  })
  const webhook = await ana.json<{ url: string }>('POST', `/api/channels/${deploys.id}/webhooks`, {
    name: 'Deploys',
  })
  return {
    users,
    serverName,
    bot: { token, applicationId: dice.id },
    site: { clientId: site.id, clientSecret: site.clientSecret, publicClientId: browserOnly.id },
    webhookUrl: webhook.url,
  }
}
