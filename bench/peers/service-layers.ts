// Parts of the service without the webhook rules: the message insert of the service into its database (`message`), and
// the same behind its HTTP framework (`framework`). No token is checked and no event is published.

import { object, openObject, optional, string, text } from '@gatehouse/protocol/wire'
import {
  createApp,
  createEvents,
  createLogger,
  createMessageRepository,
  createProxyUrls,
  createRateLimiter,
  createSnowflakes,
  mount,
  noContent,
  ok,
  openDatabase,
  systemClock,
  testRoute,
} from '@gatehouse/testkit/layers'
import { createPostServer, listen } from './listen.ts'

const [file = '', part = ''] = process.argv.slice(2)
const db = await openDatabase(`sqlite:${file}`)
const ids = createSnowflakes({ clock: systemClock, node: 0 })
const [userId, serverId, channelId] = [ids(), ids(), ids()]
await db.run`
  INSERT INTO users (id, username, display_name, email_verified, bot, created_at)
  VALUES (${userId}, 'ana', 'Ana', 0, 0, 0)`
await db.run`INSERT INTO servers (id, name, owner_id, created_at) VALUES (${serverId}, 'Server', ${userId}, 0)`
await db.run`
  INSERT INTO channels (id, server_id, type, name, position, created_at)
  VALUES (${channelId}, ${serverId}, 'text', 'general', 0, 0)`

const events = createEvents({ publish() {} })
const messages = createMessageRepository({
  db,
  clock: systemClock,
  ids,
  events,
  proxyUrls: createProxyUrls(new Uint8Array(32)),
})
const author = { id: userId, username: 'ci', displayName: 'CI', avatar: '', bot: true, webhookId: userId }

async function post(content: string): Promise<{ id: string; channel_id: string; content: string }> {
  const { id } = await messages.createMessage({ channelId, serverId, author, content })
  return { id, channel_id: channelId, content }
}

if (part === 'message') listen(createPostServer(post))
else listen(await frameworkServer())

async function frameworkServer() {
  const nobody = async () => undefined
  const options = {
    baseUrl: 'http://127.0.0.1',
    trustProxy: [],
    rateLimiter: createRateLimiter({ clock: systemClock, limits: 'off' }),
    logger: createLogger('warn'),
    authenticators: { session: nobody, bearer: nobody, bot: nobody },
  }
  const app = await createApp(options)
  const message = object({ id: string(), channel_id: string(), content: string() })
  const posts = testRoute('POST /posts', {
    summary: 'Stores a message.',
    tag: 'Webhooks',
    caller: { anonymous: true },
    query: openObject({ wait: optional(string()) }),
    body: openObject({ content: text({ max: 2000, clean: 'keep' }) }),
    bodyTypes: ['json'],
    responses: { 200: message, 204: null },
    errors: [],
    async handle({ query, body }) {
      const stored = await post(body.content)
      return query.wait === 'true' ? ok(stored) : noContent()
    },
  })
  mount(app, [posts], options)
  await app.ready()
  return app.server
}
