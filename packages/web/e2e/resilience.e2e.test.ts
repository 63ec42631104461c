import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { buttons, createWorld, type World } from '@gatehouse/testkit/interactions'
import { createClient, startService } from '@gatehouse/testkit/service'
import { freePort, type ServiceProcess, startServiceProcess } from '@gatehouse/testkit/service-process'
import type { Page } from 'playwright-core'
import { startTcpProxy } from './tcp-proxy.ts'
import { openAs, waitForValue } from './testing.ts'

const interrupted = 'Reconnecting…'

const messagesOf = (page: Page) => page.getByLabel('Messages in general')

/** Resolves when no message of the user is pending or failed. */
const allSent = (page: Page) =>
  messagesOf(page).locator('.failed, .sending').first().waitFor({ state: 'detached' })

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message #general').fill(text)
  await page.keyboard.press('Enter')
}

/** Types a command without options and sends it. */
async function useCommand(page: Page, name: string): Promise<void> {
  await page.getByLabel('Message #general').fill(`/${name}`)
  await page.getByRole('option', { name: new RegExp(`^/${name}`) }).click()
  await page.getByRole('button', { name: 'Use command' }).click()
}

const channelPath = ({ serverId, channelId }: Pick<World, 'serverId' | 'channelId'>) =>
  `/channels/${serverId}/${channelId}`

test('shows that a bot timed out and ignores its late response', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  await world.bot.connect()
  const { page, problems } = await openAs(t, service, world.ann, channelPath(world))
  const messages = messagesOf(page)
  await useCommand(page, 'ping')
  await messages.getByText('Waiting for App of dice_bot…').waitFor()
  const event = await world.bot.event(0)
  service.clock.advance(3001)
  const notice = messages.getByText('App of dice_bot did not respond in time.')
  await notice.waitFor()
  const late = await world.bot.callback(event, { type: 'message', data: { content: 'Too late' } })
  assert.equal(late.status, 410)

  await useCommand(page, 'ping')
  await messages.getByText('Waiting for App of dice_bot…').waitFor()
  const next = await world.bot.event(1)
  await world.bot.callback(next, { type: 'message', data: { content: 'In time' } })
  await messages.getByText('In time', { exact: true }).waitFor()
  assert.equal(await messages.getByText('Too late').count(), 0)
  await messages.getByRole('button', { name: 'Dismiss' }).click()
  await notice.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('shows a deferred response and replaces it with the edited response', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  await world.bot.connect()
  const { page, problems } = await openAs(t, service, world.ann, channelPath(world), {}, async page => {
    // The client computes the age of the placeholder from the Date header, so it must be the time of the test clock.
    await page.route('**/api/**', async route => {
      const response = await route.fetch()
      const date = new Date(service.clock.now()).toUTCString()
      await route.fulfill({ response, headers: { ...response.headers(), date } })
    })
  })
  const messages = messagesOf(page)
  await useCommand(page, 'ping')
  await messages.getByText('Waiting for App of dice_bot…').waitFor()
  const event = await world.bot.event(0)
  await world.bot.callback(event, { type: 'defer' })
  await messages.getByText('App of dice_bot is thinking…').waitFor()
  service.clock.advance(60_000)
  await page.reload()
  await messages.getByText('App of dice_bot is thinking…').waitFor()
  await world.bot.response('PATCH', event, 'original', { content: 'Pong at last' })
  await messages.getByText('Pong at last').waitFor()
  assert.equal(await messages.getByText('is thinking').count(), 0)
  assert.deepEqual(problems, [])
})

test('shows that a bot did not respond and uses it again after it connects', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { page, problems } = await openAs(t, service, world.ann, channelPath(world))
  const messages = messagesOf(page)
  await useCommand(page, 'ping')
  await messages.getByText('Waiting for App of dice_bot…').waitFor()
  service.clock.advance(3001)
  await messages.getByText('App of dice_bot did not respond in time.').waitFor()
  const session = await world.bot.connect()
  await useCommand(page, 'ping')
  await messages.getByText('Waiting for App of dice_bot…').waitFor()
  await world.bot.event(0)
  session.close()
  service.clock.advance(3001)
  await messages.getByText('App of dice_bot did not respond in time.').nth(1).waitFor()
  await world.bot.connect('another')
  await useCommand(page, 'ping')
  await messages.getByText('Waiting for App of dice_bot…').waitFor()
  const event = await world.bot.event(1)
  await world.bot.callback(event, { type: 'message', data: { content: 'Back again' } })
  await messages.getByText('Back again').waitFor()
  assert.deepEqual(problems, [])
})

test('two users see the same messages, edits, deletions, responses of a bot and buttons', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { owner, ann, bot } = world
  await bot.connect()
  const first = await openAs(t, service, owner, channelPath(world))
  const second = await openAs(t, service, ann, channelPath(world))
  const [one, two] = [messagesOf(first.page), messagesOf(second.page)]
  await first.page.getByLabel('Message #general').waitFor()
  await send(second.page, 'Shall we?')
  await one.getByText('Shall we?').waitFor()
  await send(first.page, 'We shall')
  await two.getByText('We shall').waitFor()

  await useCommand(second.page, 'ping')
  await two.getByText('Waiting for App of dice_bot…').waitFor()
  const event = await bot.event(0)
  await bot.callback(event, { type: 'message', data: { content: 'Count: 0', components: buttons('more') } })
  await two.getByText('Count: 0').waitFor()
  await one.getByText('Count: 0').waitFor()
  await one.getByRole('button', { name: 'Press' }).click()
  await first.page.waitForFunction(() => document.querySelector('.chat-button[aria-busy="true"]') !== null)
  const press = await bot.event(1)
  await bot.callback(press, { type: 'update', data: { content: 'Count: 1' } })
  await two.getByText('Count: 1').waitFor()
  await one.getByText('Count: 1').waitFor()

  await first.page.getByLabel('Message #general').press('ArrowUp')
  await first.page.getByRole('textbox', { name: 'Edit message' }).waitFor()
  await first.page.keyboard.type(', today')
  await first.page.keyboard.press('Enter')
  await two.getByText('We shall, today').waitFor()
  await two.getByText('Shall we?').hover()
  await two
    .getByRole('article')
    .filter({ hasText: 'Shall we?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await second.page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await one.getByText('Shall we?').waitFor({ state: 'detached' })
  for (const messages of [one, two]) {
    await waitForValue(() => messages.locator('.body').allInnerTexts(), ['We shall, today', 'Count: 1'])
  }
  assert.deepEqual([...first.problems, ...second.problems], [])
})

interface Fixture {
  service: ServiceProcess
  ann: TestUser
  bob: TestUser
  path: string
  channel: string
}

/** Starts the service in its own process. `baseUrl` is the URL that browsers use, if it is not that of the service. */
async function startFixture(t: TestContext, baseUrl?: string): Promise<Fixture> {
  const service = await startServiceProcess(baseUrl ? { env: { BASE_URL: baseUrl } } : {})
  t.after(() => service.remove())
  const client = () => createClient(service.url)
  const [ann, bob] = [await register({ client }, 'ann'), await register({ client }, 'bob')]
  const { server, general } = await createServer(ann, bob)
  return { service, ann, bob, path: `/channels/${server.id}/${general.id}`, channel: general.id }
}

async function listContents({ bob, channel }: Fixture): Promise<string[]> {
  const reply = await bob.client.get(`/api/channels/${channel}/messages`)
  return reply.body.map(({ content }: { content: string }) => content).reverse()
}

test('after a lost connection, sends pending messages once and receives missed messages', async t => {
  const port = await freePort()
  const world = await startFixture(t, `http://127.0.0.1:${port}`)
  const proxy = await startTcpProxy(t, port, world.service.port)
  const { page, problems, connected } = await openAs(t, proxy, world.ann, world.path)
  const messages = messagesOf(page)
  await send(page, 'Before')
  await messages.getByText('Before').waitFor()
  await allSent(page)
  await connected

  proxy.interrupt()
  await page.getByText(interrupted).waitFor()
  await send(page, 'First while offline')
  await send(page, 'Second while offline')
  await messages.getByText('It will be sent when the service can be reached again.').nth(1).waitFor()
  const posted = await world.bob.client.json('POST', `/api/channels/${world.channel}/messages`, {
    content: 'From Bob',
  })
  assert.equal(posted.status, 201)

  proxy.restore()
  await messages.getByText('From Bob').waitFor()
  await allSent(page)
  await page.getByText(interrupted).waitFor({ state: 'detached' })
  assert.deepEqual(await listContents(world), [
    'Before',
    'From Bob',
    'First while offline',
    'Second while offline',
  ])
  assert.deepEqual(await messages.locator('.body').allInnerTexts(), await listContents(world))
  const unexpected = problems.filter(problem => !/WebSocket|ERR_/.test(problem))
  assert.deepEqual(unexpected, [])
})

test('killing and restarting the service neither loses nor duplicates messages', async t => {
  const world = await startFixture(t)
  const { service, ann, bob, channel } = world
  const { page, problems, connected } = await openAs(t, service, ann, world.path)
  const messages = messagesOf(page)
  await send(page, 'Before')
  await messages.getByText('Before').waitFor()
  await allSent(page)
  await connected
  // The first request after the gap fails, as if the service were killed again.
  let failed = 0
  await page.route(/\/messages\?/, route => (failed++ === 0 ? route.abort() : route.continue()))
  for (const round of [1, 2]) {
    await service.end('SIGKILL')
    await page.getByText(interrupted).waitFor()
    await send(page, `Offline ${round}`)
    await messages.getByText('Not sent.').waitFor()
    await service.start()
    await allSent(page)
    await page.getByText(interrupted).waitFor({ state: 'detached' })
    await bob.client.json('POST', `/api/channels/${channel}/messages`, { content: `Online ${round}` })
    await messages.getByText(`Online ${round}`).waitFor()
    await messages.getByText('Before').waitFor()
  }
  assert.ok(failed > 1, 'the client loads the messages after each gap')
  const all = ['Before', 'Offline 1', 'Online 1', 'Offline 2', 'Online 2']
  assert.deepEqual(await listContents(world), all)
  assert.deepEqual(await messages.locator('.body').allInnerTexts(), all)
  const unexpected = problems.filter(problem => !/WebSocket|ERR_/.test(problem))
  assert.deepEqual(unexpected, [])
})
