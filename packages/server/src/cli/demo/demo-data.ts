import type { Channel } from '@gatehouse/protocol/channels'
import { createApplication, installBot } from './demo-applications.ts'
import type { Client } from './demo-client.ts'

const password = 'open-the-gate'

interface DemoData {
  usernames: string[]
  password: string
  botToken: string
  site: { clientId: string; clientSecret: string; publicClientId: string }
  webhookUrl: string
}

/** Creates users, a server, a bot, two OAuth clients and a webhook with the public API. */
export async function createDemoData(createClient: () => Client, siteUrl: string): Promise<DemoData> {
  const ana = createClient()
  const boris = createClient()
  for (const [client, username, displayName] of [
    [ana, 'ana', 'Ana'],
    [boris, 'boris', 'Борис'],
  ] as const) {
    const email = `${username}@example.org`
    await client.request('POST', '/api/auth/register', { username, displayName, email, password })
  }

  const server = await ana.request<{ id: string }>('POST', '/api/servers', { name: 'The Harbour' })
  const channels = `/api/servers/${server.id}/channels`
  const [general] = await ana.request<Channel[]>('GET', channels)
  await ana.request('POST', channels, { name: 'games', topic: 'Roll the dice with /roll' })
  const deploys = await ana.request<Channel>('POST', channels, {
    name: 'deploys',
    topic: 'What the machines say',
  })
  const invite = await ana.request<{ code: string }>('POST', `/api/servers/${server.id}/invites`, {})
  await boris.request('POST', `/api/invites/${invite.code}`)
  const messages = `/api/channels/${general?.id}/messages`
  await ana.request('POST', messages, {
    content: 'Welcome to **The Harbour**! Type `/` to see what the dice bot can do.',
  })
  await boris.request('POST', messages, { content: 'Привет! Let me try `/roll`.' })

  const dice = await installBot(ana, server.id, { name: 'Dice', public: true }, { username: 'dice' })
  const site = await createApplication(ana, {
    name: 'Lighthouse',
    description: 'A little site that signs people in.',
    redirectUris: [`${siteUrl}/callback`],
  })
  const browserSite = await createApplication(ana, {
    name: 'Lighthouse in the browser',
    description: 'The same site without a secret.',
    type: 'public',
    redirectUris: [`${siteUrl}/browser`],
  })
  const webhook = await ana.request<{ url: string }>('POST', `/api/channels/${deploys.id}/webhooks`, {
    name: 'Deploys',
  })
  return {
    usernames: ['ana', 'boris'],
    password,
    botToken: dice.token,
    site: { clientId: site.id, clientSecret: site.clientSecret ?? '', publicClientId: browserSite.id },
    webhookUrl: webhook.url,
  }
}
