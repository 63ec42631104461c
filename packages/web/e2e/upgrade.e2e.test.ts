import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../tools/browser.ts'
import { found, register } from '../../server/src/platform/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { entryOf } from '../src/app/build.ts'
import { findings, openAs } from './testing.ts'

const newVersion = 'There is a new version. Reload to go on.'
const composer = (page: Page) => page.getByRole('textbox', { name: 'general' })

interface Older {
  /** The chunks that went with the older build, by the start of their names. */
  gone: string
  /** How many pages are of the older build: the first of them unless said. */
  pages?: number
}

/** How often the page was loaded. */
interface Loads {
  count: number
}

/**
 * The service after an upgrade, with the client of before it: a page of the older build begins with another script and
 * asks for chunks that are gone.
 */
async function upgraded(page: Page, { gone, pages = 1 }: Older): Promise<Loads> {
  const loads: Loads = { count: 0 }
  const mark = '-older.js'
  await page.route('**/*', async route => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    if (request.isNavigationRequest()) {
      loads.count += 1
      if (loads.count > pages) return route.continue()
      const response = await route.fetch()
      const html = await response.text()
      const entry = entryOf(html) ?? assert.fail(html)
      return route.fulfill({ response, body: html.replaceAll(entry, entry.replace(/\.js$/, mark)) })
    }
    if (pathname.endsWith(mark)) {
      const response = await route.fetch({ url: request.url().replace(mark, '.js') })
      return route.fulfill({ response })
    }
    if (loads.count <= pages && pathname.startsWith(`/assets/${gone}-`)) return route.fulfill({ status: 404 })
    return route.continue()
  })
  return loads
}

/** The browser lets no socket out of a page that was put in the place of another; the rest does not need it. */
const otherThanSockets = (problems: string[]) => problems.filter(problem => !/WebSocket/.test(problem))

async function open(t: TestContext, older: Older) {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await found(ann, bob)
  const browser = await launchBrowser(t)
  const path = `/channels/${server.id}/${general.id}`
  let loads: Loads = { count: 0 }
  const { page, problems } = await openAs(browser, service, bob, path, {}, async page => {
    loads = await upgraded(page, older)
  })
  await composer(page).waitFor()
  return { page, problems, loads, url: service.url + path }
}

async function openSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
}

test('after an upgrade the next page opens as if nothing was, and what was typed is there still', async t => {
  const { page, problems, loads, url } = await open(t, { gone: 'user-settings' })
  await composer(page).fill('Half a thought')
  await openSettings(page)
  await page.getByText('Change picture').waitFor()
  assert.equal(new URL(page.url()).pathname, '/settings')
  assert.equal(loads.count, 2)

  await page.goto(url)
  await composer(page).waitFor()
  assert.equal(await composer(page).inputValue(), 'Half a thought')
  await composer(page).press('Enter')
  await page.locator('.body').getByText('Half a thought').waitFor()
  await page.reload()
  await page.locator('.body').getByText('Half a thought').waitFor()
  assert.equal(await composer(page).inputValue(), '')
  assert.deepEqual(otherThanSockets(problems), [])
})

test('where the reload did not help it is not repeated: the person is asked', async t => {
  const { page, problems, loads } = await open(t, { gone: 'user-settings', pages: 9 })
  await openSettings(page)
  await page.getByRole('heading', { name: newVersion }).waitFor()
  assert.equal(loads.count, 2)
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: newVersion }).waitFor()
  assert.equal(loads.count, 3)
  assert.deepEqual(otherThanSockets(problems), [])
})

test('a page that does not come while the service is not upgraded reloads nothing', async t => {
  const { page, loads } = await open(t, { gone: 'user-settings', pages: 0 })
  await page.route('**/assets/user-settings-*.js', route => route.abort())
  await openSettings(page)
  await page.getByText('Something went wrong on this page.').waitFor()
  assert.deepEqual(await findings(page), [])
  assert.equal(loads.count, 1)
})

test('a part that the network keeps away takes nothing off the page, and comes by itself', async t => {
  const { page, problems, loads, url } = await open(t, { gone: 'nothing', pages: 0 })
  const chunk = '**/assets/member-card-*.js'
  await page.route(chunk, route => route.abort())
  await composer(page).fill('Hello')
  await composer(page).press('Enter')
  await page.locator('.body').getByText('Hello').waitFor()
  await composer(page).fill('Half a thought')
  // It looks whether there is a newer build, then asks for the part again.
  await Promise.all([page.waitForRequest(url), page.locator('.message-author').first().click()])
  await page.waitForRequest(chunk)
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.locator('.body').getByText('Hello').waitFor()
  assert.equal(await composer(page).inputValue(), 'Half a thought')

  await page.unroute(chunk)
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await composer(page).inputValue(), 'Half a thought')
  assert.equal(loads.count, 1)
  assert.deepEqual(otherThanSockets(problems), [])
})

test('nothing is reloaded over a message that is being edited', async t => {
  const { page, problems, loads } = await open(t, { gone: 'member-card' })
  await composer(page).fill('Hello')
  await composer(page).press('Enter')
  await page.locator('.body').getByText('Hello').waitFor()
  await composer(page).press('ArrowUp')
  const box = page.getByRole('textbox', { name: 'Edit' })
  await box.fill('Hello, all of you')
  await page.locator('.message-author').first().click()
  await page.getByRole('alert').getByText(newVersion).waitFor()
  assert.equal(await box.inputValue(), 'Hello, all of you')
  assert.equal(loads.count, 1)
  assert.deepEqual(await findings(page), [])
  await box.press('Enter')
  await page.locator('.body').getByText('Hello, all of you').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await page.locator('.message-author').first().click()
  await page.getByRole('dialog').waitFor()
  assert.equal(loads.count, 2)
  assert.deepEqual(otherThanSockets(problems), [])
})

test('a draft goes when one signs out', async t => {
  const { page } = await open(t, { gone: 'nothing' })
  const drafts = () => page.evaluate(() => Object.values({ ...sessionStorage }))
  await composer(page).fill('A secret')
  assert.ok((await drafts()).includes('A secret'))
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  assert.equal((await drafts()).includes('A secret'), false)
})
