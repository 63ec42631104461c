import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { responseBytesPerRequest } from '@gatehouse/protocol/limits'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import type { PublishedEvent } from '../../events/gateway-events.ts'
import type { TranslatedSession } from '../../gateway/wire-format.ts'
import { createRateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Database } from '../../storage/database.ts'
import { createDiscordWireFormats } from './discord-wire-format.ts'

/** Counts the statements outside of transactions. */
function counting(db: Database) {
  const counted = { statements: 0 }
  const proxy = new Proxy(db, {
    get(target, name) {
      if (name === 'get' || name === 'all') counted.statements++
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { db: proxy, counted }
}

/** A bot on a server with a long name of a channel, and 25 sessions that have its events translated. */
async function setUp(database: Database) {
  const community = createCommunity(database)
  const owner = await community.createUser('owner')
  const botId = await community.createBot('bot')
  const { server, general } = await community.createServer(owner, botId)
  for (let i = 0; i < 20; i++) {
    await community.channels.createChannel({ userId: owner }, server.id, {
      name: `c${i}`,
      topic: 'x'.repeat(1024),
    })
  }
  const { db, counted } = counting(database)
  const { clock } = community
  const rateLimiter = createRateLimiter({ clock: clock.now, limits: {} })
  const [format] = createDiscordWireFormats({
    ...{ db, clock: clock.now, timers: clock.timers, secretKey: new Uint8Array(32), rateLimiter },
    interactions: { findMessage: async () => undefined, findModal: async () => undefined },
    baseUrl: 'http://localhost',
  })
  assert.ok(format?.translation)
  const { translate } = format.translation
  const sessionWith = (
    options: Partial<TranslatedSession['identity']['options']> = {},
  ): TranslatedSession => ({
    id: 'session',
    identity: {
      ...{ kind: 'bot', userId: botId, credentialId: '1' },
      options: { intents: ['servers', 'messages'], largeThreshold: 50, format: 'discord', ...options },
    },
  })
  const sessions = Array.from({ length: 25 }, () => sessionWith())
  /** The statements that the translation of an event for all sessions reads. */
  async function statementsFor(
    event: PublishedEvent,
    receivers: readonly TranslatedSession[],
  ): Promise<number> {
    counted.statements = 0
    const translated = await Promise.all(receivers.map(session => translate(session, event)))
    for (const events of translated) assert.equal(events.length, 1)
    return counted.statements
  }
  /** The requests that the bot may send now. */
  function requestsLeft(): number {
    for (let left = 0; ; left++) {
      try {
        rateLimiter.checkRequest(botId)
      } catch {
        return left
      }
    }
  }
  return { clock, server, general, owner, translate, sessions, sessionWith, statementsFor, requestsLeft }
}

eachEngine(
  'a server that a bot joins is read once for each event and options (discord/gateway-events)',
  async (_t, database) => {
    const { server, sessions, sessionWith, statementsFor } = await setUp(database)
    const joined = (): PublishedEvent => ({ t: 'SERVER_ADD', d: server, id: 'a' })
    const once = await statementsFor(joined(), sessions.slice(0, 1))
    assert.ok(once > 0)
    assert.equal(await statementsFor(joined(), sessions), once)
    const others = [sessionWith({ largeThreshold: 60 }), sessionWith({ intents: ['servers', 'members'] })]
    assert.ok((await statementsFor(joined(), [...sessions, ...others, ...others])) <= 3 * once + 3)
  },
)

eachEngine(
  'each session of a bot counts the server that it receives in bytes, and waits for the rate (discord/gateway)',
  async (_t, database) => {
    const { clock, server, sessions, translate, requestsLeft } = await setUp(database)
    const event: PublishedEvent = { t: 'SERVER_ADD', d: server, id: 'a' }
    const [session] = sessions
    assert.ok(session)
    const [created] = await translate(session, event)
    const cost = 1 + Math.floor((created?.length ?? 0) / responseBytesPerRequest)
    assert.equal(cost, 2)
    assert.equal(requestsLeft(), 100 - cost)
    clock.advance(10_000)
    await Promise.all(sessions.map(each => translate(each, event)))
    assert.equal(requestsLeft(), 100 - sessions.length * cost)
    // This one owes requests, so the next one waits.
    await translate(session, event)
    let isSent = false
    const waiting = Promise.resolve(translate(session, event)).then(() => {
      isSent = true
    })
    await setImmediate()
    assert.equal(isSent, false)
    clock.advance(60_000)
    await waiting
  },
)

eachEngine(
  'an event that reads the database is translated once for all sessions (discord/gateway-events)',
  async (_t, database) => {
    const { server, general, owner, sessions, statementsFor } = await setUp(database)
    const message = {
      ...{
        id: '1',
        channelId: general.id,
        serverId: server.id,
        content: `<@${owner}>`,
        embeds: [],
        components: [],
      },
      ...{ mentions: { users: [owner], roles: [], everyone: false }, state: 'sent', editedAt: null },
      author: { id: owner, username: 'owner', displayName: 'Owner', avatar: '/avatar', bot: false },
      createdAt: new Date(0).toISOString(),
    } as const
    const events: (() => PublishedEvent)[] = [
      () => ({ t: 'SERVER_UPDATE', d: server, id: 'b' }),
      () => ({ t: 'MESSAGE_CREATE', d: structuredClone(message) as never, id: 'c' }),
      () => ({ t: 'MESSAGE_UPDATE', d: structuredClone(message) as never, id: 'd' }),
    ]
    for (const event of events) {
      const once = await statementsFor(event(), sessions.slice(0, 1))
      assert.ok(once > 0)
      assert.equal(await statementsFor(event(), sessions), once, event().t)
    }
  },
)
