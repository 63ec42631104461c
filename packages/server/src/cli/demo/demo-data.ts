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
    await client.call('register', { body: { username, displayName, email, password } })
  }

  const server = await ana.call('createServer', { body: { name: 'The Harbour' } })
  const [general] = await ana.call('listChannels', { id: server.id })
  await ana.call('createChannel', {
    id: server.id,
    body: { name: 'games', topic: 'Roll the dice with /roll' },
  })
  const deploys = await ana.call('createChannel', {
    id: server.id,
    body: { name: 'deploys', topic: 'What the machines say' },
  })
  const invite = await ana.call('createInvite', { id: server.id })
  await boris.call('acceptInvite', { code: invite.code })
  const greet = (client: Client, content: string) =>
    client.call('createMessage', { id: general?.id ?? '', body: { content } })
  await greet(ana, 'Welcome to **The Harbour**! Type `/` to see what the dice bot can do.')
  await greet(boris, 'Привет! Let me try `/roll`.')

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
  const webhook = await ana.call('createWebhook', {
    channelId: deploys.id,
    body: { name: 'Deploys' },
  })
  return {
    usernames: ['ana', 'boris'],
    password,
    botToken: dice.token,
    site: { clientId: site.id, clientSecret: site.clientSecret ?? '', publicClientId: browserSite.id },
    webhookUrl: webhook.url ?? '',
  }
}
