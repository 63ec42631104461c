import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../tools/browser.ts'
import { freePort, type ServiceProcess, startServiceProcess } from '../../../tools/service-process.ts'
import { buttons, makeWorld, type World } from '../../server/src/interactions/testing.ts'
import { found, type Person, register } from '../../server/src/platform/testing.ts'
import { createClient, startService } from '../../server/src/testing.ts'
import { interruptible } from './interruptible.ts'
import { openAs } from './testing.ts'

const interrupted = 'Reconnecting…'

const messagesOf = (page: Page) => page.getByLabel('Messages in general')

/** Nothing that one has said waits or is on its way. */
const allArrived = (page: Page) =>
  messagesOf(page).locator('.failed, .sending').first().waitFor({ state: 'detached' })

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message #general').fill(text)
  await page.keyboard.press('Enter')
}

/** Types a command without options and uses it. */
async function useCommand(page: Page, name: string): Promise<void> {
  await page.getByLabel('Message #general').fill(`/${name}`)
  await page.getByRole('option', { name: new RegExp(`^/${name}`) }).click()
  await page.getByRole('button', { name: 'Use command' }).click()
}

const at = ({ serverId, channelId }: Pick<World, 'serverId' | 'channelId'>) =>
  `/channels/${serverId}/${channelId}`

test('a bot that is late: one waits, is told, and an answer that comes after that is not shown', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const world = await makeWorld(service)
  await world.bot.connect()
  const { page, problems } = await openAs(browser, service, world.ann, at(world))
  const messages = messagesOf(page)
  await useCommand(page, 'ping')
  await messages.getByText('App of dice_bot is answering…').waitFor()
  service.clock.advance(3001)
  const notice = messages.getByText('App of dice_bot did not answer in time.')
  await notice.waitFor()
  const [event] = world.bot.received
  assert.ok(event)
  const late = await world.bot.callback(event, { type: 'message', data: { content: 'Too late' } })
  assert.equal(late.status, 410)

  await useCommand(page, 'ping')
  await messages.getByText('App of dice_bot is answering…').waitFor()
  const next = world.bot.received[1]
  assert.ok(next)
  await world.bot.callback(next, { type: 'message', data: { content: 'In time' } })
  await messages.getByText('In time', { exact: true }).waitFor()
  assert.equal(await messages.getByText('Too late').count(), 0)
  await messages.getByRole('button', { name: 'Dismiss' }).click()
  await notice.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('a bot that thinks first: the thinking is shown, then the answer in its place', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const world = await makeWorld(service)
  await world.bot.connect()
  const { page, problems } = await openAs(browser, service, world.ann, at(world), {}, async page => {
    // The placeholder's time is reckoned by the time that the service's answers tell: here that of its clock.
    await page.route('**/api/**', async route => {
      const response = await route.fetch()
      const date = new Date(service.clock.now()).toUTCString()
      await route.fulfill({ response, headers: { ...response.headers(), date } })
    })
  })
  const messages = messagesOf(page)
  await useCommand(page, 'ping')
  await messages.getByText('App of dice_bot is answering…').waitFor()
  const [event] = world.bot.received
  assert.ok(event)
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

test('a bot that is dead: one is told at once, and it serves again when it is back', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const world = await makeWorld(service)
  const { page, problems } = await openAs(browser, service, world.ann, at(world))
  const messages = messagesOf(page)
  await useCommand(page, 'ping')
  await messages.getByText('App of dice_bot is not connected.').waitFor()
  const session = await world.bot.connect()
  await useCommand(page, 'ping')
  await messages.getByText('App of dice_bot is answering…').waitFor()
  session.close()
  service.clock.advance(3001)
  await messages.getByText('App of dice_bot did not answer in time.').waitFor()
  await world.bot.connect('another')
  await useCommand(page, 'ping')
  await messages.getByText('App of dice_bot is answering…').waitFor()
  const event = world.bot.received.at(-1)
  assert.ok(event)
  await world.bot.callback(event, { type: 'message', data: { content: 'Back again' } })
  await messages.getByText('Back again').waitFor()
  assert.deepEqual(problems, [])
})

test('two windows of two people and a bot show the same: messages, edits, deletions, answers, buttons', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const world = await makeWorld(service)
  const { owner, ann, bot } = world
  await bot.connect()
  const first = await openAs(browser, service, owner, at(world))
  const second = await openAs(browser, service, ann, at(world))
  const [one, two] = [messagesOf(first.page), messagesOf(second.page)]
  await first.page.getByLabel('Message #general').waitFor()
  await say(second.page, 'Shall we?')
  await one.getByText('Shall we?').waitFor()
  await say(first.page, 'We shall')
  await two.getByText('We shall').waitFor()

  await useCommand(second.page, 'ping')
  await two.getByText('App of dice_bot is answering…').waitFor()
  const [event] = bot.received
  assert.ok(event)
  await bot.callback(event, { type: 'message', data: { content: 'Count: 0', components: buttons('more') } })
  await two.getByText('Count: 0').waitFor()
  await one.getByText('Count: 0').waitFor()
  await one.getByRole('button', { name: 'Press' }).click()
  await first.page.waitForFunction(() => document.querySelector('.chat-button[aria-busy="true"]') !== null)
  const press = bot.received[1]
  assert.ok(press)
  await bot.callback(press, { type: 'update', data: { content: 'Count: 1' } })
  await two.getByText('Count: 1').waitFor()
  await one.getByText('Count: 1').waitFor()

  await first.page.getByLabel('Message #general').press('ArrowUp')
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
  const texts = (page: Page) => messagesOf(page).locator('.body').allInnerTexts()
  assert.deepEqual(await texts(first.page), ['We shall, today', 'Count: 1'])
  assert.deepEqual(await texts(second.page), await texts(first.page))
  assert.deepEqual([...first.problems, ...second.problems], [])
})

interface Harbour {
  service: ServiceProcess
  ann: Person
  bob: Person
  path: string
  channel: string
}

/** The service as a process of its own, known to browsers by another port that can be cut. */
async function harbour(t: TestContext, baseUrl?: string): Promise<Harbour> {
  const service = await startServiceProcess(baseUrl ? { env: { BASE_URL: baseUrl } } : {})
  t.after(() => service.remove())
  const client = () => createClient(service.url)
  const [ann, bob] = [await register({ client }, 'ann'), await register({ client }, 'bob')]
  const { server, general } = await found(ann, bob)
  return { service, ann, bob, path: `/channels/${server.id}/${general.id}`, channel: general.id }
}

async function history({ bob, channel }: Harbour): Promise<string[]> {
  const reply = await bob.client.get(`/api/channels/${channel}/messages`)
  return reply.body.map(({ content }: { content: string }) => content).reverse()
}

test('a connection that is cut: one is told, what was written goes out once, what was said comes in', async t => {
  const port = await freePort()
  const world = await harbour(t, `http://127.0.0.1:${port}`)
  const way = await interruptible(t, port, world.service.port)
  const browser = await launchBrowser(t)
  const { page, problems, connected } = await openAs(browser, way, world.ann, world.path)
  const messages = messagesOf(page)
  await say(page, 'Before')
  await messages.getByText('Before').waitFor()
  await allArrived(page)
  await connected

  way.cut()
  await page.getByText(interrupted).waitFor()
  await say(page, 'First in the dark')
  await say(page, 'Second in the dark')
  await messages.getByText('It goes out as soon as the service is reached again.').nth(1).waitFor()
  const said = await world.bob.client.json('POST', `/api/channels/${world.channel}/messages`, {
    content: 'From the shore',
  })
  assert.equal(said.status, 201)

  way.heal()
  await messages.getByText('From the shore').waitFor()
  await allArrived(page)
  await page.getByText(interrupted).waitFor({ state: 'detached' })
  assert.deepEqual(await history(world), [
    'Before',
    'From the shore',
    'First in the dark',
    'Second in the dark',
  ])
  assert.deepEqual(await messages.locator('.body').allInnerTexts(), await history(world))
  const complaints = problems.filter(problem => !/WebSocket|ERR_/.test(problem))
  assert.deepEqual(complaints, [])
})

test('a service that is killed and started again: nothing is lost, nothing stands there twice', async t => {
  const world = await harbour(t)
  const { service, ann, bob, channel } = world
  const browser = await launchBrowser(t)
  const { page, problems, connected } = await openAs(browser, service, ann, world.path)
  const messages = messagesOf(page)
  await say(page, 'Before')
  await messages.getByText('Before').waitFor()
  await allArrived(page)
  await connected
  for (const round of [1, 2]) {
    await service.end('SIGKILL')
    await page.getByText(interrupted).waitFor()
    await say(page, `In the dark ${round}`)
    await messages.getByText('Not sent.').waitFor()
    await service.start()
    await allArrived(page)
    await page.getByText(interrupted).waitFor({ state: 'detached' })
    await bob.client.json('POST', `/api/channels/${channel}/messages`, { content: `Light ${round}` })
    await messages.getByText(`Light ${round}`).waitFor()
  }
  const all = ['Before', 'In the dark 1', 'Light 1', 'In the dark 2', 'Light 2']
  assert.deepEqual(await history(world), all)
  assert.deepEqual(await messages.locator('.body').allInnerTexts(), all)
  const complaints = problems.filter(problem => !/WebSocket|ERR_/.test(problem))
  assert.deepEqual(complaints, [])
})
