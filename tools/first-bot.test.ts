import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBotSetup } from '../packages/bot/testing.ts'
import { measureFirstBot } from './first-bot.ts'

test('the script runs the steps of the guide from an empty folder, until the bot responds', async t => {
  const { service, token, use, commandId, messages } = await startBotSetup(t)
  const { steps, response } = await measureFirstBot(t, {
    url: service.url,
    token,
    async useBot() {
      assert.equal(await use({ type: 'command', commandId: await commandId('greet') }), 'answered')
      return (await messages())[0]?.content ?? ''
    },
  })
  assert.deepEqual(
    steps.map(({ name }) => name),
    [
      'mkdir my-bot',
      'cd my-bot',
      'npm init --yes',
      'npm pkg set type=module',
      `npm install ${service.url}/sdk/gatehouse-bot.tgz`,
      'write bot.ts',
      'node bot.ts, until it is ready',
      '/greet, until its response',
    ],
  )
  assert.ok(steps.every(({ ms }) => ms > 0))
  assert.match(response ?? '', /^Hello <@\d+>!$/)
})
