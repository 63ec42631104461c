import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Bot, button, createBot, row } from '@gatehouse/bot'
import { listen } from '@gatehouse/testkit/listen'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createEndpointServer } from './docs/endpoint.ts'
import { fetchWithoutDate, startBotSetup } from './testing.ts'

/** Starts the bot as an interactions endpoint. Returns its URL. */
async function startEndpoint(t: TestContext, bot: Bot): Promise<string> {
  return (await listen(t, createEndpointServer(bot))).url
}

test('bot.fetch responds to signed pings, commands and buttons', async t => {
  const { service, ana, applicationId, token, ...world } = await startBotSetup(t, {
    ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
  })
  const { publicKey } = await ana.request<{ publicKey: string }>('GET', `/api/applications/${applicationId}`)
  const bot = createBot({
    token,
    url: service.url,
    publicKey,
    runtime: { fetch: fetchWithoutDate, clock: service.clock.now },
  })
  const notes: string[] = []
  bot.command({ name: 'greet', description: 'Greets' }, async ctx => {
    await ctx.reply({ content: 'Hello', components: [row(button('wave', 'Wave'))] })
    await ctx.followUp({ content: 'And welcome', ephemeral: true })
    notes.push('greeted')
  })
  bot.button('wave', ctx => ctx.update('Waved'))
  bot.command(
    {
      name: 'find',
      description: 'Finds',
      options: [{ type: 'string', name: 'text', description: 'What', autocomplete: true }],
    },
    () => {},
    { text: ctx => [`${ctx.value}!`] },
  )
  await bot.sync()
  const interactionsEndpointUrl = await startEndpoint(t, bot)
  await ana.request('PATCH', `/api/applications/${applicationId}`, { interactionsEndpointUrl })

  const commandId = await world.commandId('greet')
  assert.equal(await world.use({ type: 'command', commandId }), 'answered')
  await waitUntil(() => notes.length === 1)
  const [hello] = await world.messages()
  assert.equal(hello?.content, 'Hello')
  assert.equal(await world.use({ type: 'component', messageId: hello?.id, customId: 'wave' }), 'answered')
  assert.deepEqual(
    (await world.messages()).map(({ id, content }) => [id, content]),
    [[hello?.id, 'Waved']],
  )
  const log = await ana.request<{ delivery: string }[]>(
    'GET',
    `/api/applications/${applicationId}/interactions`,
  )
  assert.deepEqual(new Set(log.map(({ delivery }) => delivery)), new Set(['endpoint']))

  const suggested = await ana.request('POST', '/api/interactions/autocomplete', {
    channelId: world.channelId,
    commandId: await world.commandId('find'),
    focused: 'text',
    options: [{ name: 'text', value: 'tea' }],
  })
  assert.deepEqual(suggested, { choices: [{ name: 'tea!', value: 'tea!' }] })

  // With the key of another application, the endpoint rejects the signature of the ping.
  const foreign = createBot({ token, url: service.url, publicKey: 'ab'.repeat(32) })
  const change = ana.request('PATCH', `/api/applications/${applicationId}`, {
    interactionsEndpointUrl: await startEndpoint(t, foreign),
  })
  await assert.rejects(change, /400 .*interactionsEndpointUrl/)
})
