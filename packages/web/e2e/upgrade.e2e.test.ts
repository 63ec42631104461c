import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { parseEntryScript } from '../src/ui/build.ts'
import { openAs } from './testing.ts'

const newVersion = 'A new version is available. Reload the page to use it.'
const composer = (page: Page) => page.getByRole('textbox', { name: 'general' })
/** A message that the service has accepted. */
const sentMessage = (page: Page, text: string) =>
  page.locator('article:not(.sending, .failed) .body').getByText(text)

interface OlderBuild {
  /** The name prefix of the chunks that exist only in the older build. */
  chunk: string
  /** How many page loads get the older build. The default is 1. */
  pages?: number
}

/** The number of page loads. */
interface Loads {
  count: number
}

/**
 * Simulates an upgrade while a page of the older build is open: the page has another entry script, and its chunks
 * return 404.
 */
async function simulateUpgrade(page: Page, { chunk, pages = 1 }: OlderBuild): Promise<Loads> {
  const loads: Loads = { count: 0 }
  const olderSuffix = '-older.js'
  await page.route('**/*', async route => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    if (request.isNavigationRequest()) {
      loads.count += 1
      if (loads.count > pages) return route.continue()
      const response = await route.fetch()
      const html = await response.text()
      const entry = parseEntryScript(html) ?? assert.fail(html)
      return route.fulfill({ response, body: html.replaceAll(entry, entry.replace(/\.js$/, olderSuffix)) })
    }
    if (pathname.endsWith(olderSuffix)) {
      const response = await route.fetch({ url: request.url().replace(olderSuffix, '.js') })
      return route.fulfill({ response })
    }
    if (loads.count <= pages && pathname.startsWith(`/assets/${chunk}-`))
      return route.fulfill({ status: 404 })
    return route.continue()
  })
  return loads
}

/** Drops WebSocket errors: the browser blocks WebSockets of a page whose response was fulfilled by a route. */
const withoutSocketErrors = (problems: string[]) => problems.filter(problem => !/WebSocket/.test(problem))

async function open(t: TestContext, older: OlderBuild) {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const path = `/channels/${server.id}/${general.id}`
  let loads: Loads = { count: 0 }
  const { page, problems } = await openAs(t, service, bob, path, {}, async page => {
    loads = await simulateUpgrade(page, older)
  })
  await composer(page).waitFor()
  return { page, problems, loads, url: service.url + path }
}

async function openSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
}

test('after an upgrade the next navigation loads the new build and keeps the draft', async t => {
  const { page, problems, loads, url } = await open(t, { chunk: 'user-settings' })
  await composer(page).fill('Half a thought')
  await openSettings(page)
  await page.getByText('Change image').waitFor()
  assert.equal(new URL(page.url()).pathname, '/settings')
  assert.equal(loads.count, 2)

  await page.goto(url)
  await composer(page).waitFor()
  assert.equal(await composer(page).inputValue(), 'Half a thought')
  await composer(page).press('Enter')
  await sentMessage(page, 'Half a thought').waitFor()
  await page.reload()
  await sentMessage(page, 'Half a thought').waitFor()
  assert.equal(await composer(page).inputValue(), '')
  assert.deepEqual(withoutSocketErrors(problems), [])
})

test('does not reload a second time and shows a button instead', async t => {
  const { page, problems, loads } = await open(t, { chunk: 'user-settings', pages: 9 })
  await openSettings(page)
  await page.getByRole('heading', { name: newVersion }).waitFor()
  assert.equal(loads.count, 2)
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: newVersion }).waitFor()
  assert.equal(loads.count, 3)
  assert.deepEqual(withoutSocketErrors(problems), [])
})

test('does not reload if a page fails to load without an upgrade', async t => {
  const { page, loads } = await open(t, { chunk: 'user-settings', pages: 0 })
  await page.route('**/assets/user-settings-*.js', route => route.abort())
  await openSettings(page)
  await page.getByText('Something went wrong on this page.').waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.equal(loads.count, 1)
})

test('retries a chunk that the network failed to load and leaves the page unchanged meanwhile', async t => {
  const { page, problems, loads, url } = await open(t, { chunk: 'nothing', pages: 0 })
  const chunkUrl = '**/assets/member-card-*.js'
  await page.route(chunkUrl, route => route.abort())
  await composer(page).fill('Hello')
  await composer(page).press('Enter')
  await sentMessage(page, 'Hello').waitFor()
  await composer(page).fill('Half a thought')
  // The client checks for a newer build, then requests the chunk again.
  await Promise.all([page.waitForRequest(url), page.locator('.message-author').first().click()])
  await page.waitForRequest(chunkUrl)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.locator('.body').getByText('Hello').waitFor()
  assert.equal(await composer(page).inputValue(), 'Half a thought')

  await page.unroute(chunkUrl)
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await composer(page).inputValue(), 'Half a thought')
  assert.equal(loads.count, 1)
  assert.deepEqual(withoutSocketErrors(problems), [])
})

test('does not reload while a message is being edited', async t => {
  const { page, problems, loads } = await open(t, { chunk: 'member-card' })
  await composer(page).fill('Hello')
  await composer(page).press('Enter')
  await sentMessage(page, 'Hello').waitFor()
  await composer(page).press('ArrowUp')
  const editBox = page.getByRole('textbox', { name: 'Edit' })
  await editBox.fill('Hello, all of you')
  await page.locator('.message-author').first().click()
  await page.getByRole('alert').getByText(newVersion).waitFor()
  assert.equal(await editBox.inputValue(), 'Hello, all of you')
  assert.equal(loads.count, 1)
  assert.deepEqual(await findViolations(page), [])
  await editBox.press('Enter')
  await page.locator('.body').getByText('Hello, all of you').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await page.locator('.message-author').first().click()
  await page.getByRole('dialog').waitFor()
  assert.equal(loads.count, 2)
  assert.deepEqual(withoutSocketErrors(problems), [])
})

test('signing out deletes the draft', async t => {
  const { page } = await open(t, { chunk: 'nothing' })
  const drafts = () => page.evaluate(() => JSON.stringify({ ...localStorage }))
  await composer(page).fill('A secret')
  assert.ok((await drafts()).includes('A secret'))
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  assert.equal((await drafts()).includes('A secret'), false)
})
