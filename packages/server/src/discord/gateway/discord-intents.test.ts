import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { sendMessage } from '../../gateway/gateway-testing.ts'
import {
  bit,
  connectDiscord,
  createDiscordWorld,
  type DiscordClient,
  identifyDiscord,
  nextEvent,
  setPrivilegedIntents,
  takeEvent,
} from './discord-gateway-testing.ts'

const guildMessages = bit.guilds | bit.messages
const [v9, v10] = [{ query: '?v=9&encoding=json' }, { query: '?v=10&encoding=json' }]

eachService(
  'intents may be written in digits, and unknown bits have no effect (discord/intents)',
  async (_t, service) => {
    const { ada, bot, general } = await createDiscordWorld(service, [])
    const known = bit.guilds | bit.messages
    const all = [String(known), known + 2 ** 17 + 2 ** 40, `${2n ** 60n + BigInt(known)}`]
    for (const intents of all) {
      const session = await identifyDiscord(service, { token: bot.token, intents })
      await takeEvent(session, 'GUILD_CREATE')
      await sendMessage(ada, general.id, 'hello')
      await takeEvent(session, 'MESSAGE_CREATE')
      session.socket.close()
      await session.closed
    }
    const asNumber = await connectDiscord(service)
    asNumber.sendRaw(`{"op":2,"d":{"token":"${bot.token}","intents":${2n ** 60n + BigInt(known)}}}`)
    await nextEvent(asNumber, 'GUILD_CREATE')
  },
)

type World = Awaited<ReturnType<typeof createDiscordWorld>>

/** The content of the next message, as the bot receives it. */
async function readContent({ ada, general }: World, session: DiscordClient): Promise<string> {
  await sendMessage(ada, general.id, 'hello')
  return (await nextEvent(session, 'MESSAGE_CREATE')).content
}

function identifyWith(
  { bot }: World,
  service: TestService,
  version: { query: string },
  intents = guildMessages,
) {
  return identifyDiscord(service, { token: bot.token, intents }, version)
}

eachService(
  'in version 9 the switch in the console is enough for the content of messages (discord/intents)',
  async (_t, service) => {
    const world = await createDiscordWorld(service)
    assert.equal(await readContent(world, await identifyWith(world, service, v9)), 'hello')
    assert.equal(await readContent(world, await identifyWith(world, service, v10)), '')
    await setPrivilegedIntents(world.bot, ['members'])
    assert.equal(await readContent(world, await identifyWith(world, service, v9)), '')
    const asking = await connectDiscord(service, v9)
    asking.send({ op: 2, d: { token: world.bot.token, intents: guildMessages | bit.messageContent } })
    assert.equal((await asking.closed).code, 4014, 'the bit asks for what is off')
  },
)

eachService(
  'in version 9 the switch takes effect at once: the client connects again (discord/intents)',
  async (_t, service) => {
    const world = await createDiscordWorld(service, [])
    const { token } = world.bot
    let session = await identifyWith(world, service, v9)
    for (const privileged of [['messageContent'], []] as const) {
      await setPrivilegedIntents(world.bot, privileged)
      assert.equal((await session.closed).code, 4000)
      const resumed = await connectDiscord(service, v9)
      resumed.send({ op: 6, d: { token, session_id: session.sessionId, seq: 2 } })
      assert.deepEqual(await resumed.nextFrame(), { t: null, s: null, op: 9, d: false })
      session = await identifyWith(world, service, v9)
      assert.equal(await readContent(world, session), privileged.length > 0 ? 'hello' : '')
    }
    await setPrivilegedIntents(world.bot, ['members'])
    assert.equal(await readContent(world, session), '', 'another switch does not matter')
  },
)

test('a session of version 9 keeps the content of messages on another node (discord/intents)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createDiscordWorld(a)
  const onB = await identifyWith(world, b, v9)
  await takeEvent(onB, 'GUILD_CREATE')
  const onA = await connectDiscord(a, v10)
  onA.send({ op: 6, d: { token: world.bot.token, session_id: onB.sessionId, seq: 2 } })
  await advanceUntilSettled(a.clock, takeEvent(onA, 'RESUMED'), 1)
  assert.equal(await readContent(world, onA), 'hello')
})
