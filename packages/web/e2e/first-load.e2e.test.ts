import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

const parser = '**/assets/markdown-*.js'
const contents = ['Plain words', 'Some **bold** words', '```\nconst answer = 42\n```', '> quoted *words*']

async function createCommunity(t: TestContext) {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  for (const content of contents) {
    const reply = await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content })
    assert.equal(reply.status, 201, reply.text)
  }
  return { service, bob, path: `/channels/${server.id}/${general.id}` }
}

test('the list shows no message until the Markdown parser has loaded', async t => {
  const { service, bob, path } = await createCommunity(t)
  const { promise: requested, resolve: markRequested } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { page, problems } = await openAs(t, service, bob, path, {}, async page => {
    await page.route(parser, async route => {
      markRequested()
      await released
      await route.continue()
    })
    // Checks every state of the document, including states that are never painted.
    await page.addInitScript(() => {
      const checkBodies = () => {
        for (const { textContent: text } of document.querySelectorAll('.body')) {
          if (/\*|```/.test(text ?? '')) document.documentElement.dataset.raw = text ?? ''
        }
      }
      new MutationObserver(checkBodies).observe(document, {
        childList: true,
        subtree: true,
        characterData: true,
      })
    })
  })
  await requested
  await page.locator('.messages-skeleton').waitFor()
  await page.getByRole('textbox', { name: 'general' }).fill('A draft')
  assert.equal(await page.locator('.body').count(), 0)

  release()
  await page.locator('.body strong').getByText('bold', { exact: true }).waitFor()
  await page.locator('.body pre').getByText('const answer = 42').waitFor()
  assert.equal(await page.locator('.body').count(), contents.length)
  assert.equal(await page.evaluate(() => document.documentElement.dataset.raw ?? ''), '')
  assert.equal(await page.locator('.messages-skeleton').count(), 0)
  assert.deepEqual(problems, [])
})

test('shows messages as plain text if the Markdown parser fails to load', async t => {
  const { service, bob, path } = await createCommunity(t)
  let loads = 0
  const { page, problems } = await openAs(t, service, bob, path, {}, async page => {
    page.on('request', request => {
      if (request.isNavigationRequest()) loads += 1
    })
    await page.route(parser, route => route.abort())
  })
  await page.locator('.body').getByText('Some **bold** words', { exact: true }).waitFor()
  await page.locator('.body').getByText('const answer = 42').waitFor()
  assert.equal(await page.locator('.body strong').count(), 0)
  assert.equal(loads, 1)
  assert.deepEqual(problems, [])
})

for (const viewport of [
  { width: 1280, height: 720 },
  { width: 360, height: 740 },
]) {
  test(`shows a skeleton while responses are pending, ${viewport.width} pixels wide`, async t => {
    const { service, bob, path } = await createCommunity(t)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { page, problems } = await openAs(t, service, bob, path, { viewport }, async page => {
      await page.route('**/api/**', route => released.then(() => route.continue()))
    })
    await page.getByText('Loading…').first().waitFor()
    // At least five.
    await page.locator('.skeleton').and(page.locator(':visible')).nth(4).waitFor()
    release()
    await page.locator('.body').getByText('Plain words', { exact: true }).waitFor()
    assert.equal(await page.locator('.messages-skeleton').count(), 0)
    assert.deepEqual(problems, [])
  })
}

test('waits for a service that cannot be reached, and then shows the channel without a reload', async t => {
  const { service, bob, path } = await createCommunity(t)
  const url = '**/api/**'
  let loads = 0
  const { page, problems } = await openAs(t, service, bob, path, {}, async page => {
    page.on('request', request => {
      if (request.isNavigationRequest()) loads += 1
    })
    await page.route(url, route => route.abort())
  })
  const notice = page.getByText('The service cannot be reached. The page opens when it can.')
  await notice.waitFor()
  assert.equal(await page.locator('.skeleton').first().isVisible(), true)
  await page.unroute(url)
  await page.locator('.body').getByText('Plain words', { exact: true }).waitFor()
  assert.equal(await notice.count(), 0)
  assert.equal(loads, 1)
  assert.deepEqual(problems, [])
})
