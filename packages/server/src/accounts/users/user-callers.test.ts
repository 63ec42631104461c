import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine } from '@gatehouse/testkit/databases'
import { createDomainEventBus } from '../../events/domain-events.ts'
import { createEvents } from '../../events/gateway-events.ts'
import { createApp, mount } from '../../http/app.ts'
import type { BearerCaller } from '../../http/caller.ts'
import { createLogger } from '../../http/log.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { createRateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Database } from '../../storage/database.ts'
import { createPasswords } from '../passwords/password-hash.ts'
import { createBotUsers } from './bot-users.ts'
import { createUserByOperator } from './operator.ts'
import { currentUserRoutes } from './user-routes.ts'

/** An app with the route, for an access token with `scopes` and for a bot token. */
async function build(t: TestContext, db: Database, scopes: readonly string[]) {
  const clock = createTestClock().now
  const ids = createSnowflakes({ clock, node: 1 })
  const passwords = createPasswords({ memory: 64, passes: 1 })
  const body = { username: 'ada', email: 'ada@example.org', password: 'correct horse' }
  const ada = await createUserByOperator({ db, clock, ids, passwords }, body)
  const bots = createBotUsers({
    clock,
    events: createEvents({ publish() {} }),
    domainEvents: createDomainEventBus(),
  })
  const robot = await db.transaction(tx =>
    bots.createBotUser(tx, { id: ids(), username: 'robot', displayName: 'Robot' }),
  )
  const applicationId = ids()
  const bearer: BearerCaller = { kind: 'bearer', userId: ada.id, applicationId, scopes }
  const options = {
    baseUrl: 'http://localhost',
    trustProxy: [],
    rateLimiter: createRateLimiter({ clock, limits: {} }),
    logger: createLogger('silent', new Writable({ write: (_chunk, _encoding, done) => done() })),
    authenticators: {
      session: async () => undefined,
      bearer: async () => bearer,
      bot: async () => ({ kind: 'bot' as const, userId: robot.id, applicationId }),
    },
  }
  const app = await createApp(options)
  const { baseUrl } = options
  const unused = {
    users: { updateSelf: () => assert.fail() },
    sessions: { sessionCookie: () => assert.fail() },
  }
  mount(app, currentUserRoutes({ db, baseUrl, ...unused }), options)
  t.after(() => app.close())
  const get = (authorization: string) => app.inject({ url: '/api/users/@me', headers: { authorization } })
  return { ada, robot, get }
}

eachEngine('GET @me returns 200 without the email address for the scope identify', async (t, db) => {
  const { ada, get } = await build(t, db, ['identify'])
  const reply = await get('Bearer gat_x')
  assert.equal(reply.statusCode, 200)
  assert.deepEqual(reply.json(), {
    id: ada.id,
    username: 'ada',
    displayName: 'ada',
    avatar: `/images/users/${ada.id}/default`,
    bot: false,
  })
})

eachEngine('GET @me returns the email address for the scope email', async (t, db) => {
  const { get } = await build(t, db, ['identify', 'email'])
  const { email, emailVerified } = (await get('Bearer gat_x')).json()
  assert.deepEqual([email, emailVerified], ['ada@example.org', true])
})

eachEngine('GET @me returns 200 with the bot for a bot token', async (t, db) => {
  const { robot, get } = await build(t, db, [])
  const reply = await get('Bot gbt_x')
  assert.equal(reply.statusCode, 200)
  assert.deepEqual(reply.json(), {
    id: robot.id,
    username: 'robot',
    displayName: 'Robot',
    avatar: `/images/users/${robot.id}/default`,
    bot: true,
  })
})
