import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Bot, BotEvents } from '@gatehouse/bot'
import { startBotSetup } from '../../packages/bot/testing.ts'
import { createDiceBot } from './dice.ts'

/** Starts the service and a bot that is installed on a server. */
async function start(t: TestContext) {
  const world = await startBotSetup(t)
  const { service, token } = world
  const log: string[] = []
  const bot = createDiceBot({
    token,
    url: service.url,
    log: line => log.push(line),
    // The bot uses the clock of the test, which only the test advances. Its timers are real.
    runtime: { clock: service.clock.now },
  })
  t.after(() => bot.stop())
  return { ...world, bot, log }
}

test('the bot registers its commands once and responds to a command and a button press over the gateway', async t => {
  const { bot, use, messages, commandId } = await start(t)
  assert.equal((await bot.sync()).changed, true)
  assert.equal((await bot.sync()).changed, false)
  const ready = await bot.start()
  assert.deepEqual(
    ready.servers.map(server => server.name),
    ['Server'],
  )

  const options = [{ name: 'count', value: 2 }]
  assert.equal(await use({ type: 'command', commandId: await commandId('roll'), options }), 'answered')
  const [rolled] = await messages()
  assert.match(rolled?.content ?? '', /^🎲 2d6: \d \+ \d = \*\*\d+\*\*$/)

  const customId = rolled?.components[0]?.components[0]?.customId
  assert.equal(await use({ type: 'component', messageId: rolled?.id, customId }), 'answered')
  assert.equal((await messages()).length, 2)
})

test('an ephemeral response is not in the message history', async t => {
  const { bot, use, messages, commandId } = await start(t)
  await bot.sync()
  await bot.start()
  const options = [{ name: 'goal', value: 3 }]
  const state = await use({ type: 'command', commandId: await commandId('odds'), options })
  assert.match(state, /^(deferred|answered)$/)
  assert.deepEqual(await messages(), [])
})

test('the bot reconnects after the service restarts', async t => {
  const { service, bot, log, use, commandId } = await start(t)
  await bot.sync()
  await bot.start()
  const back = Promise.race([next(bot, 'ready'), next(bot, 'resumed')])
  await service.restart()
  await back
  assert.match(log.join('\n'), /reconnecting in/)
  const options = [{ name: 'with', value: 'coin' }]
  assert.equal(await use({ type: 'command', commandId: await commandId('choose'), options }), 'answered')
})

test('the bot stops with an error if its token is reset', async t => {
  const { ana, applicationId, bot } = await start(t)
  await bot.start()
  const stopped = next(bot, 'stopped')
  await ana.request('POST', `/api/applications/${applicationId}/bot/token`)
  assert.match((await stopped).error.message, /rejected the bot token/)
})

function next<Name extends keyof BotEvents>(bot: Bot, name: Name): Promise<BotEvents[Name]> {
  return new Promise(resolve => bot.on(name, resolve))
}
