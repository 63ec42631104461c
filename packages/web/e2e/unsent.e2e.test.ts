import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { createClient, startService } from '@gatehouse/testkit/service'
import { startServiceProcess } from '@gatehouse/testkit/service-process'
import type { Page } from 'playwright-core'
import { openAs, waitForValue } from './testing.ts'

const retryNotice = 'It will be sent when the service can be reached again.'

const messagesOf = (page: Page) => page.getByLabel('Messages in general')

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message #general').fill(text)
  await page.keyboard.press('Enter')
}

/** Resolves when no message is pending or failed. */
async function allSent(page: Page): Promise<void> {
  await messagesOf(page).locator('.failed, .sending').first().waitFor({ state: 'detached' })
}

async function listContents({ client }: TestUser, channelId: string): Promise<string[]> {
  const { body } = await client.get(`/api/channels/${channelId}/messages`)
  return body.map(({ content }: { content: string }) => content).reverse()
}

/** Collects the contents of the posted messages whose requests received a response. */
function collectPosts(page: Page): string[] {
  const posts: string[] = []
  page.on('response', response => {
    const request = response.request()
    if (request.method() === 'POST' && request.url().endsWith('/messages'))
      posts.push(request.postDataJSON().content)
  })
  return posts
}

async function createCommunity(t: TestContext, env: Record<string, string> = {}) {
  const service = await startService(t, { env })
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  return { service, ann, bob, server, general, path: `/channels/${server.id}/${general.id}` }
}

test('sends messages that were written offline once when the network is back, without a reload', async t => {
  const { service, ann, bob, general, path } = await createCommunity(t)
  const { page, problems, connected } = await openAs(t, service, bob, path)
  const messages = messagesOf(page)
  await messages.waitFor()
  await connected
  await page.context().setOffline(true)
  for (const text of ['One', 'Two', 'Three']) await send(page, text)
  await messages.getByText(retryNotice).nth(2).waitFor()
  await page.context().setOffline(false)
  await allSent(page)
  assert.deepEqual(await listContents(ann, general.id), ['One', 'Two', 'Three'])
  assert.deepEqual(await messages.locator('.body').allInnerTexts(), ['One', 'Two', 'Three'])
  assert.deepEqual(
    problems.filter(problem => !/WebSocket|ERR_/.test(problem)),
    [],
  )
})

test('retries until the network is back, without an event from the browser', async t => {
  const { service, ann, bob, general, path } = await createCommunity(t)
  const { page, connected } = await openAs(t, service, bob, path)
  await messagesOf(page).waitFor()
  await connected
  let online = false
  // Only requests fail. The WebSocket stays open.
  await page.route('**/api/channels/*/messages', route => (online ? route.continue() : route.abort()))
  await send(page, 'Hello')
  await messagesOf(page).getByText(retryNotice).waitFor()
  online = true
  await allSent(page)
  assert.deepEqual(await listContents(ann, general.id), ['Hello'])
})

test('restores unsent messages after the tab was closed and sends them once, in order, from any channel', async t => {
  const { service, ann, bob, server, general, path } = await createCommunity(t)
  const other = await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })
  const { page, connected } = await openAs(t, service, bob, path)
  await messagesOf(page).waitFor()
  await connected
  const context = page.context()
  await context.setOffline(true)
  for (const text of ['One', 'Two', 'Three']) await send(page, text)
  await messagesOf(page).getByText(retryNotice).nth(2).waitFor()
  // Simulates a closed tab.
  await page.close()
  await context.setOffline(false)
  assert.deepEqual(await listContents(ann, general.id), [])

  const reopened = await context.newPage()
  const posts = collectPosts(reopened)
  await reopened.goto(`${service.url}/channels/${server.id}/${other.body.id}`)
  await reopened.getByLabel('Messages in other').waitFor()
  await reopened.waitForFunction(() => !Object.keys(localStorage).some(key => key.startsWith('unsent:')))
  assert.deepEqual(await listContents(ann, general.id), ['One', 'Two', 'Three'])
  await waitForValue(() => posts, ['One', 'Two', 'Three'])
  await reopened.goto(service.url + path)
  await messagesOf(reopened).getByText('Three').waitFor()
  assert.deepEqual(await messagesOf(reopened).locator('.body').allInnerTexts(), ['One', 'Two', 'Three'])
})

test('sends unsent messages after a reload when the stopped service runs again', async t => {
  const service = await startServiceProcess()
  t.after(() => service.remove())
  const client = () => createClient(service.url)
  const [ann, bob] = [await register({ client }, 'ann'), await register({ client }, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const { page, connected } = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  await messagesOf(page).waitFor()
  await connected
  await service.end('SIGTERM')
  await send(page, 'One')
  await messagesOf(page).getByText(retryNotice).waitFor()
  await send(page, 'Two')
  await messagesOf(page).getByText(retryNotice).nth(1).waitFor()
  await page.reload().catch(() => undefined)
  await service.start()
  await page.goto(`${service.url}/channels/${server.id}/${general.id}`)
  await messagesOf(page).getByText('Two').waitFor()
  await allSent(page)
  assert.deepEqual(await listContents(ann, general.id), ['One', 'Two'])
  assert.deepEqual(await messagesOf(page).locator('.body').allInnerTexts(), ['One', 'Two'])
})

test('does not duplicate a message if a reload interrupts its request', async t => {
  const { service, ann, bob, general, path } = await createCommunity(t)
  const { page } = await openAs(t, service, bob, path)
  await messagesOf(page).waitFor()
  const arrived = Promise.withResolvers<void>()
  await page.route('**/api/channels/*/messages', async route => {
    if (route.request().method() !== 'POST') return route.continue()
    await route.fetch()
    arrived.resolve()
    // Sends no response, because the page reloads first.
  })
  await send(page, 'Once')
  await arrived.promise
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.reload()
  // The history may already have the message while the page is sending it again.
  await messagesOf(page).getByText('Once').first().waitFor()
  await allSent(page)
  assert.deepEqual(await listContents(ann, general.id), ['Once'])
  assert.deepEqual(await messagesOf(page).locator('.body').allInnerTexts(), ['Once'])
})

test('two tabs send each message with one request, in order, and show it once', async t => {
  const { service, ann, bob, general, path } = await createCommunity(t)
  const { page: one, connected } = await openAs(t, service, bob, path)
  await messagesOf(one).waitFor()
  await connected
  const context = one.context()
  const two = await context.newPage()
  await two.goto(service.url + path)
  await messagesOf(two).waitFor()
  await context.setOffline(true)
  const all = ['One', 'Two', 'Three', 'Four']
  for (const [index, text] of all.entries()) await send(index % 2 === 0 ? one : two, text)
  // Each tab shows the unsent messages of the other.
  await messagesOf(one).getByText(retryNotice).nth(3).waitFor()
  await messagesOf(two).getByText(retryNotice).nth(3).waitFor()
  const posts = [collectPosts(one), collectPosts(two)]
  await context.setOffline(false)
  await allSent(one)
  await allSent(two)
  assert.deepEqual(await listContents(ann, general.id), all)
  for (const page of [one, two]) {
    await messagesOf(page).getByText('Four').waitFor()
    await page.waitForFunction(
      count => document.querySelectorAll('.messages .body').length === count,
      all.length,
    )
    assert.deepEqual(await messagesOf(page).locator('.body').allInnerTexts(), all)
  }
  await waitForValue(() => posts.flat().toSorted(), all.toSorted())
})

test('another tab sends the messages of a closed tab', async t => {
  const { service, ann, bob, general, path } = await createCommunity(t)
  const { page: one, connected } = await openAs(t, service, bob, path)
  await messagesOf(one).waitFor()
  await connected
  const context = one.context()
  const two = await context.newPage()
  await two.goto(service.url + path)
  await messagesOf(two).waitFor()
  await context.setOffline(true)
  await send(one, 'From the first tab')
  await messagesOf(two).getByText(retryNotice).waitFor()
  await one.close()
  await context.setOffline(false)
  await allSent(two)
  assert.deepEqual(await listContents(ann, general.id), ['From the first tab'])
})

test('keeps a rejected message after a reload and retries it only when the user presses Retry', async t => {
  const { service, ann, bob, server, general, path } = await createCommunity(t)
  const { page, connected } = await openAs(t, service, bob, path)
  const messages = messagesOf(page)
  await messages.waitFor()
  await connected
  const overwrite = `/api/channels/${general.id}/overwrites/${server.id}`
  const allow = (deny: string) => ann.client.json('PUT', overwrite, { type: 'role', allow: '0', deny })
  await page.context().setOffline(true)
  for (const text of ['Keep', 'Drop']) await send(page, text)
  await messages.getByText(retryNotice).nth(1).waitFor()
  const denied = await allow('2048')
  assert.equal(denied.status, 204, denied.text)
  await page.context().setOffline(false)
  await messages.getByText('You are not allowed to do this.').nth(1).waitFor()

  const posts = collectPosts(page)
  await page.reload()
  await messages.getByText('You are not allowed to do this.').nth(1).waitFor()
  await messages
    .locator('article')
    .filter({ hasText: 'Drop' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await messages.getByText('Drop').waitFor({ state: 'detached' })
  await page.reload()
  await messages.getByText('You are not allowed to do this.').waitFor()
  assert.equal(await messages.getByText('Drop').count(), 0)
  assert.deepEqual(posts, [])

  assert.equal((await allow('0')).status, 204)
  await messages.getByRole('button', { name: 'Retry' }).click()
  await allSent(page)
  assert.deepEqual(await listContents(ann, general.id), ['Keep'])
  await waitForValue(() => posts, ['Keep'])
})

test('after a 429 response, sends the message again when Retry-After has passed', async t => {
  const { service, ann, bob, general, path } = await createCommunity(t)
  const { page, connected } = await openAs(t, service, bob, path)
  await messagesOf(page).waitFor()
  await connected
  const times: number[] = []
  const released = Promise.withResolvers<void>()
  await page.route('**/api/channels/*/messages', async route => {
    if (route.request().method() !== 'POST') return route.continue()
    times.push(performance.now())
    if (times.length === 1)
      return route.fulfill({ status: 429, headers: { 'retry-after': '2' }, body: 'Slow down' })
    // Until then, the page shows the notice.
    await released.promise
    return route.continue()
  })
  await send(page, 'Fast')
  await messagesOf(page).getByText('It will then be sent automatically.').waitFor()
  await page.evaluate(() => void window.dispatchEvent(new Event('online')))
  released.resolve()
  await allSent(page)
  assert.equal(times.length, 2)
  assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 1990, String(times))
  assert.deepEqual(await listContents(ann, general.id), ['Fast'])
})

test('signing out deletes unsent messages', async t => {
  const { service, bob, ann, general, path } = await createCommunity(t)
  const { page, connected } = await openAs(t, service, bob, path)
  await messagesOf(page).waitFor()
  await connected
  await page.route('**/api/channels/*/messages', route =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await send(page, 'Secret')
  await messagesOf(page).getByText(retryNotice).waitFor()
  await page.reload()
  await messagesOf(page).getByText('Secret').waitFor()
  await page.getByRole('region', { name: 'Account' }).getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
  assert.doesNotMatch(stored, /Secret/)
  assert.deepEqual(await listContents(ann, general.id), [])
})

test('signing out navigates once, even if the gateway closes the connection before the response arrives', async t => {
  const { service, bob, path } = await createCommunity(t)
  let closed: Promise<unknown> = Promise.resolve()
  const { page, connected } = await openAs(t, service, bob, path, {}, async page => {
    page.on('websocket', socket => {
      closed = socket.waitForEvent('close')
    })
  })
  await messagesOf(page).waitFor()
  await connected
  const navigations: string[] = []
  page.on('request', request => {
    if (request.isNavigationRequest()) navigations.push(request.url().slice(service.url.length))
  })
  await page.route('**/api/auth/logout', async route => {
    const response = await route.fetch()
    await closed
    await route.fulfill({ response })
  })
  await page.getByRole('region', { name: 'Account' }).getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  assert.deepEqual(navigations, ['/login'])
})

test('shows unsent messages also in a channel whose messages could not be loaded', async t => {
  const { service, ann, bob, general, path } = await createCommunity(t)
  const url = '**/api/channels/*/messages*'
  const { page, problems } = await openAs(
    t,
    service,
    bob,
    path,
    {},
    async page => void (await page.route(url, route => route.abort())),
  )
  await page.getByText('This could not be loaded.').waitFor()
  for (const text of ['One', 'Two']) await send(page, text)
  const failed = page.locator('.failed')
  await failed.filter({ hasText: 'One' }).getByText(retryNotice).waitFor()
  await failed.filter({ hasText: 'Two' }).getByText(retryNotice).waitFor()
  await page.unroute(url)
  await failed.first().getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('button', { name: 'Try again' }).click()
  await messagesOf(page).getByText('Two').waitFor()
  await allSent(page)
  assert.deepEqual(await listContents(ann, general.id), ['One', 'Two'])
  assert.deepEqual(await messagesOf(page).locator('.body').allInnerTexts(), ['One', 'Two'])
  assert.deepEqual(problems, [])
})
