import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { ApiError, createBot, createTestBot } from '@gatehouse/bot'
import { errorStatus } from '@gatehouse/protocol/errors'
import * as limits from '@gatehouse/protocol/limits'
import { listen, listenHttp } from '@gatehouse/testkit/listen'
import { readTable } from '@gatehouse/testkit/markdown-tables'
import { createShellFolder, runUntilReady } from '@gatehouse/testkit/shell'
import { startBotSetup } from '../testing.ts'
import { defineAnnounce } from './announce.ts'
import { defineReset } from './confirm.ts'
import { createEndpointServer } from './endpoint.ts'
import { createEndpointWithoutSdk } from './endpoint-without-sdk.ts'
import { handleErrors } from './errors.ts'
import { timeOutSpammer } from './moderate.ts'
import { definePlay } from './play.ts'
import { defineReport } from './report.ts'
import { guides, insertSamples, readme } from './samples.ts'
import { stopOnSignal } from './stop.ts'
import { announceDeployment } from './webhook.ts'
import { createWelcomeBot } from './welcome.ts'

const here = import.meta.dirname

/** A page of docs/bots/. */
const readPage = (name: string) => readFileSync(join(here, '../../../docs/bots', name), 'utf8')

test('the pages about bots contain the code of all tested files unchanged', () => {
  const text = guides.map(file => readFileSync(file, 'utf8')).join('\n')
  const { text: updated, files } = insertSamples(text)
  assert.equal(text, updated, 'the pages are stale: node packages/bot/docs/samples.ts')
  // The others are functions of examples, which have their own tests.
  const samples = files.filter(file => file.startsWith('packages/bot/docs/'))
  const shown = samples.map(file => basename(file)).toSorted()
  const written = globSync('*.{ts,sh}', { cwd: here }).filter(file => !/^(samples|first-steps)\./.test(file))
  assert.deepEqual(shown, written.toSorted())
  // Every block of code is one of the files.
  assert.equal(text.match(/```[jt]s/g)?.length, files.filter(file => /\.ts(#|$)/.test(file)).length)
})

test('the README of the package contains the first bot unchanged', () => {
  const text = readFileSync(readme, 'utf8')
  const { text: updated, files } = insertSamples(text)
  assert.equal(text, updated, 'packages/bot/README.md is stale: node packages/bot/docs/samples.ts')
  assert.deepEqual(files, ['packages/bot/docs/first-bot.ts'])
})

/** The table of docs/bots/limits.md, with the constants that the service uses. */
const limitRows: [string, number][] = [
  ["Commands of a set (the global one, and each server's)", limits.maxCommands],
  ['Options of a command', limits.maxOptions],
  ['Choices of an option', limits.maxChoices],
  ['Characters of a name', limits.maxCommandName],
  ['Characters of a description', limits.maxCommandDescription],
  ['Characters of a string option value', limits.maxOptionValue],
  ['Milliseconds to the first response', limits.firstResponseMs],
  ['Minutes for follow-ups and edits', limits.interactionTokenSeconds / 60],
  ['Characters of a message', limits.maxContent],
  ['Embeds of a message', limits.maxEmbeds],
  ['Characters of all embeds together', limits.maxEmbedTotal],
  ['Characters of an embed title', limits.maxEmbedTitle],
  ['Characters of an embed description', limits.maxEmbedDescription],
  ['Fields of an embed', limits.maxEmbedFields],
  ['Characters of a field name', limits.maxFieldName],
  ['Characters of a field value', limits.maxFieldValue],
  ['Rows of a message', limits.maxRows],
  ['Buttons of a row', limits.maxButtonsPerRow],
  ['Characters of a button label', limits.maxButtonLabel],
  ['Characters of a customId', limits.maxCustomId],
  ['Characters of a link button URL', limits.maxButtonUrl],
  ['Options of a select menu', limits.maxSelectOptions],
  ["Characters of an option's label, value or description", limits.maxSelectLabel],
  ['Characters of the placeholder of a select menu', limits.maxSelectPlaceholder],
  ['Fields of a modal', limits.maxTextInputs],
  ['Characters of the title of a modal', limits.maxModalTitle],
  ['Characters of the label of a field', limits.maxTextInputLabel],
  ['Characters of the description of a field', limits.maxTextInputDescription],
  ['Characters of the placeholder of a field', limits.maxTextInputPlaceholder],
  ['Characters that a user enters in a field', limits.maxTextInput],
  ['Bytes of a gateway frame', limits.maxFrameBytes],
  ['Frames in 60 seconds', limits.framesPerWindow],
]

test('the tables of limits and error statuses match the constants', () => {
  assert.deepEqual(
    readTable(readPage('limits.md')),
    limitRows.map(([item, limit]) => [item, String(limit)]),
  )
  const statuses: Readonly<Record<string, number>> = errorStatus
  for (const [status, code = ''] of readTable(readPage('without-sdk.md'), '## Errors')) {
    assert.equal(statuses[code.replaceAll('`', '')], Number(status), code)
  }
})

test('the welcome bot greets people in the channel of their server', async () => {
  const bot = createWelcomeBot({ url: 'http://localhost', token: 'none' }, new Map([['1', '2']]))
  const service = createTestBot(bot)
  const join = (serverId: string, isBot = false) => {
    const user = { id: '3', username: 'eve', displayName: 'Eve', avatar: '/avatars/eve', bot: isBot }
    const joinedAt = '2026-01-31T12:00:00.000Z'
    return service.emit('memberAdd', { serverId, user, nick: null, roles: [], joinedAt, timedOutUntil: null })
  }
  await join('1')
  await join('1', true)
  await join('4')
  assert.deepEqual(
    service.messages.map(({ channelId, content }) => [channelId, content]),
    [['2', 'Welcome, <@3>!']],
  )
})

test('/reset deletes after a confirmation, and not without one', async () => {
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  const deleted: string[] = []
  defineReset(bot, async userId => void deleted.push(userId))
  const service = createTestBot(bot)
  const [confirmed, cancelled, late] = [1, 2, 3].map(id =>
    service.command('reset', {}, { user: { id: `${id}` } }),
  )
  await service.advance(0)
  service.press(confirmed?.reply, 'Delete')
  service.press(cancelled?.reply, 'Cancel')
  await Promise.all([confirmed?.ended, cancelled?.ended])
  await service.advance(60_000)
  await late?.ended
  assert.deepEqual(
    [confirmed, cancelled, late].map(use => use?.reply?.content),
    ['Deleted.', 'Nothing was deleted.', 'Nothing was deleted.'],
  )
  assert.deepEqual(deleted, ['1'])
})

test('/report asks for the subject with a menu and for the rest with a modal', async () => {
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  const saved: string[] = []
  defineReport(bot, async report => void saved.push(report))
  const service = createTestBot(bot)
  const shown = service.command('report')
  await shown.ended
  const selected = service.select(shown.reply, 'Subject', ['Payment'])
  await selected.ended
  assert.equal(selected.modal?.title, 'Report')
  const submitted = service.submit(selected, { title: 'Paid twice' })
  await submitted.ended
  assert.deepEqual(saved, ['Payment: Paid twice\n'])
  assert.equal(shown.reply?.content, 'Thank you!')
})

test('the announcement is posted in the selected channel', async () => {
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  defineAnnounce(bot)
  const service = createTestBot(bot)
  const { ended } = service.command('announce', { where: '7', text: 'The server moves on Friday.' })
  await ended
  assert.deepEqual(service.messages.map(({ channelId, content }) => [channelId, content])[0], [
    '7',
    'The server moves on Friday.',
  ])
})

test('a member whose message has a link is timed out, and the message is deleted', async () => {
  const bot = createBot({ url: 'http://localhost', token: 'none', intents: ['messages', 'messageContent'] })
  bot.on('message', ({ serverId, channelId, author }, { api }) =>
    timeOutSpammer(api, String(serverId), channelId, author.id),
  )
  const user = { id: '3', username: 'eve', displayName: 'Eve', avatar: '/avatars/eve', bot: false }
  const member = { user, nick: null, roles: [], joinedAt: '2026-01-31T12:00:00.000Z', timedOutUntil: null }
  const service = createTestBot(bot, {
    api: { messages: { list: async () => [...service.messages] }, members: { update: async () => member } },
  })
  await service.message('Hello', { user })
  assert.deepEqual(
    service.requests.map(({ name }) => name),
    ['messages.list'],
  )
  const spam = await service.message('Buy at https://shop.example', { user })
  const [, , timeOut, deletion] = service.requests
  assert.deepEqual([timeOut?.name, timeOut?.args.slice(0, 2)], ['members.update', [spam.serverId, user.id]])
  assert.deepEqual([deletion?.name, deletion?.args], ['messages.delete', [spam.channelId, spam.id]])
})

test('the bot without the SDK responds to the command that curl registered', async t => {
  const { service, token, use, commandId, messages } = await startBotSetup(t)
  const env = { GATEHOUSE_URL: service.url, BOT_TOKEN: token }
  const curl = spawn('sh', [join(here, 'register.sh')], { env: { ...process.env, ...env }, stdio: 'ignore' })
  assert.deepEqual(await once(curl, 'exit'), [0, null])
  await runUntilReady(t, 'node without-sdk.ts', { cwd: here, env: { ...createShellFolder(t).env, ...env } })
  assert.equal(await use({ type: 'command', commandId: await commandId('greet') }), 'answered')
  assert.match((await messages())[0]?.content ?? '', /^Hello <@\d+>!$/)
})

test('the error handler sends an ephemeral response', async t => {
  const logged: unknown[] = []
  t.mock.method(console, 'log', (line: unknown) => logged.push(line))
  t.mock.method(console, 'error', (line: unknown) => logged.push(line))
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  handleErrors(bot)
  bot.command({ name: 'long', description: 'Too long' }, ctx => ctx.reply('x'.repeat(2001)))
  bot.command({ name: 'fine', description: 'Fine' }, ctx => ctx.reply('x'))
  bot.command({ name: 'unban', description: 'Not allowed' }, ctx => ctx.api.bans.delete(ctx.serverId, '1'))
  const refuse = async () => {
    const request = 'DELETE /api/servers/:id/bans/:userId'
    throw new ApiError({
      status: 403,
      code: 'missing_permission',
      message: 'BAN_MEMBERS is required.',
      request,
    })
  }
  const service = createTestBot(bot, { api: { bans: { delete: refuse } } })
  const use = service.command('long')
  await use.ended
  await service.command('fine').ended
  assert.deepEqual([use.reply?.content, use.reply?.ephemeral], ['Something went wrong.', true])
  assert.match(JSON.stringify(logged[0]), /data\.content/)
  assert.match(String(logged[1]), /^ana: \d+ ms$/)
  const refused = service.command('unban')
  await refused.ended
  assert.equal(refused.reply?.content, 'BAN_MEMBERS is required.')
  assert.match(String(logged[2]), /DELETE \/api\/servers/)
})

test('the sample of autocomplete suggests the songs of the artist', async () => {
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  definePlay(bot, async (text, artist = 'Moby') => [{ id: 7, artist, title: `${text}…` }])
  const service = createTestBot(bot)
  const typed = { focused: 'song', value: 'nat', options: { artist: 'Björk' } }
  assert.deepEqual(await service.autocomplete('play', typed), [{ name: 'Björk: nat…', value: 7 }])
  assert.deepEqual(await service.autocomplete('play', { focused: 'song' }), [{ name: 'Moby: …', value: 7 }])
  const use = service.command('play', { song: 7 })
  await use.ended
  assert.equal(use.reply?.content, 'Playing song 7')
})

test('the endpoint responds to the test requests of the service', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')
  const server = createEndpointServer(createBot({ url: 'http://localhost', token: 'none', publicKey: raw }))
  const { url } = await listen(t, server)
  for (const [signed, status] of [
    ['{"type":"ping"}', 200],
    ['{"type":"pong"}', 401],
  ] as const) {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'x-signature-ed25519': sign(null, Buffer.from(`1768478400${signed}`), privateKey).toString('hex'),
        'x-signature-timestamp': '1768478400',
      },
      body: '{"type":"ping"}',
    })
    assert.equal(response.status, status)
  }
})

test('the service accepts the endpoint without the SDK and gets its response', async t => {
  const { ana, applicationId, token, service, use, commandId, messages } = await startBotSetup(t, {
    ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
  })
  const address = `/api/applications/${applicationId}`
  const { publicKey } = await ana.request<{ publicKey: string }>('GET', address)
  const { url: interactionsEndpointUrl } = await listen(t, createEndpointWithoutSdk(publicKey))
  await ana.request('PATCH', address, { interactionsEndpointUrl })
  const bot = createBot({ url: service.url, token })
  bot.command({ name: 'greet', description: 'Say hello' }, () => {})
  await bot.sync()
  assert.equal(await use({ type: 'command', commandId: await commandId('greet') }), 'answered')
  assert.match((await messages())[0]?.content ?? '', /^Hello <@\d+>!$/)
})

test('a signal stops the bot, then the process', async t => {
  const stopped = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<void>()
  t.mock.method(process, 'exit', () => exited.resolve())
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  stopOnSignal({ ...bot, stop: async () => stopped.resolve() })
  process.emit('SIGTERM')
  await Promise.all([stopped.promise, exited.promise])
  process.removeAllListeners('SIGINT')
})

test('the webhook sample posts one message and edits it', async t => {
  const requests: string[] = []
  const { url } = await listenHttp(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push(`${request.method} ${body}`)
    const author = { username: 'Deploys', avatar: null, avatar_url: null }
    const timestamp = '2026-01-15T12:00:00.000000+00:00'
    const message = { id: '7', channel_id: '8', author, timestamp, edited_timestamp: null }
    response.end(JSON.stringify(message))
  })
  await announceDeployment(`${url}/api/webhooks/10/${'x'.repeat(68)}`, '1.2')
  assert.deepEqual(requests, [
    'POST {"content":"Deploying 1.2 …","username":"Deploys"}',
    'PATCH {"content":"Deployed 1.2"}',
  ])
})
