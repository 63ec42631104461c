import assert from 'node:assert/strict'
import { addBot } from '@gatehouse/testkit/applications'
import { eachService } from '@gatehouse/testkit/service'
import { createBot, identify, resumeSession, sendMessage, terminate } from '../../gateway/gateway-testing.ts'
import {
  bit,
  createDiscordWorld,
  identifyDiscord,
  nextEvent,
  resumeDiscord,
  setPrivilegedIntents,
  takeEvent,
} from './discord-gateway-testing.ts'

const intents = bit.guilds | bit.messages | bit.messageContent

eachService('a resume sends the missed events, then RESUMED (discord/resume)', async (_t, service) => {
  const { ada, bot, general } = await createDiscordWorld(service)
  const session = await identifyDiscord(service, { token: bot.token, intents })
  await takeEvent(session, 'GUILD_CREATE')
  await sendMessage(ada, general.id, 'zero')
  const { s = 0 } = await session.nextFrame()
  const other = await identifyDiscord(service, { token: bot.token, intents })
  await takeEvent(other, 'GUILD_CREATE')
  await terminate(service, session)
  for (const content of ['one', 'two']) await sendMessage(ada, general.id, content)
  // Both sessions get an event as soon as it is translated.
  for (const content of ['one', 'two'])
    assert.equal((await nextEvent(other, 'MESSAGE_CREATE')).content, content)
  const resumed = await resumeDiscord(service, { token: bot.token, session_id: session.sessionId, seq: s })
  const [one, two] = [await resumed.nextFrame(), await resumed.nextFrame()]
  assert.deepEqual([one.s, one.t, one.d.content], [s + 1, 'MESSAGE_CREATE', 'one'])
  assert.deepEqual([two.s, two.d.channel_id, two.d.content], [s + 2, general.id, 'two'])
  assert.deepEqual(await resumed.nextFrame(), { op: 0, t: 'RESUMED', s: s + 3, d: {} })
  await sendMessage(ada, general.id, 'three')
  assert.equal((await takeEvent(resumed, 'MESSAGE_CREATE')).content, 'three')
})

eachService('a client that lacks a server of READY cannot resume (discord/resume)', async (_t, service) => {
  const { bot } = await createDiscordWorld(service)
  const session = await identifyDiscord(service, { token: bot.token, intents })
  await takeEvent(session, 'GUILD_CREATE')
  await terminate(service, session)
  const resumed = await resumeDiscord(service, { token: bot.token, session_id: session.sessionId, seq: 1 })
  assert.deepEqual(await resumed.nextFrame(), { t: null, s: null, op: 9, d: false })
  resumed.send({ op: 2, d: { token: bot.token, intents } })
  await nextEvent(resumed, 'READY')
})

eachService('a session is resumed only in its own format (discord/resume)', async (_t, service) => {
  const { ada, bot, general } = await createDiscordWorld(service)
  const { token } = bot
  const native = await identify(service, { token, intents: ['messages'] })
  const discord = await identifyDiscord(service, { token, intents })
  await takeEvent(discord, 'GUILD_CREATE')
  const onDiscord = await resumeDiscord(service, { token, session_id: native.sessionId, seq: 1 })
  assert.equal((await onDiscord.nextFrame()).op, 9)
  const onNative = await resumeSession(service, { token, sessionId: discord.sessionId, seq: 2 })
  assert.deepEqual(await onNative.nextFrame(), { op: 9, d: false })
  await sendMessage(ada, general.id, 'to both')
  assert.equal((await native.nextDispatch()).d.channelId, general.id)
  assert.equal((await takeEvent(discord, 'MESSAGE_CREATE')).channel_id, general.id)
})

eachService('the token of another bot resumes no session (discord/resume)', async (_t, service) => {
  const { ada, bot, server } = await createDiscordWorld(service)
  const other = await createBot(service, ada)
  await addBot(ada.client, other.applicationId, server.id)
  const session = await identifyDiscord(service, { token: bot.token, intents })
  const resume = { session_id: session.sessionId, seq: 1 }
  const rejected = await resumeDiscord(service, { token: other.token, ...resume })
  assert.equal((await rejected.nextFrame()).op, 9)
  const closed = await resumeDiscord(service, { token: 'wrong', ...resume })
  assert.equal((await closed.closed).code, 4004)
  const ahead = await resumeDiscord(service, { token: bot.token, ...resume, seq: 99 })
  assert.equal((await ahead.closed).code, 4007)
})

eachService(
  'a privileged intent that is switched off ends the session (discord/intents)',
  async (_t, service) => {
    const { bot } = await createDiscordWorld(service)
    const session = await identifyDiscord(service, { token: bot.token, intents })
    await takeEvent(session, 'GUILD_CREATE')
    await setPrivilegedIntents(bot, ['members'])
    assert.equal((await session.closed).code, 4014)
  },
)

eachService(
  'a restart of the node: opcode 7, then 9 for the resume (discord/resume)',
  async (_t, service) => {
    const { bot } = await createDiscordWorld(service)
    const session = await identifyDiscord(service, { token: bot.token, intents })
    await takeEvent(session, 'GUILD_CREATE')
    const restarted = service.restart()
    assert.deepEqual(await session.nextFrame(), { t: null, s: null, op: 7, d: null })
    assert.equal((await session.closed).code, 1012)
    await restarted
    const resumed = await resumeDiscord(service, { token: bot.token, session_id: session.sessionId, seq: 2 })
    assert.equal((await resumed.nextFrame()).op, 9)
  },
)
