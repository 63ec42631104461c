// Runs in its own process: it takes longer than the others, so it starts first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { launchBrowser } from '@gatehouse/testkit/browser'
import { startService, type TestService } from '@gatehouse/testkit/service'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const pages = [
  '/docs',
  '/docs/api/messages',
  '/docs/api/messages/create-message',
  '/docs/api/bots/create-callback',
  '/docs/gateway',
  '/docs/gateway/READY',
  '/docs/objects/Message',
  '/docs/errors',
  '/docs/guides/sign-in',
  '/docs/search?q=message',
  '/docs/nothing',
]
const phone = { width: 390, height: 844 }

/** Opens pages, and collects what the browser reports as an error, such as violations of the Content-Security-Policy. */
async function openPage(browser: Browser, { url }: TestService, options: BrowserContextOptions) {
  const context = await browser.newContext({ locale: 'en-GB', baseURL: url, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    // Chromium reports the status of /docs/nothing.
    if (message.type() === 'error' && !message.text().includes('404')) problems.push(message.text())
  })
  return { page, problems }
}

/** `findViolations` with all folded parts open. */
async function findViolationsUnfolded(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) {
      details.removeAttribute('name')
      details.open = true
    }
  })
  return findViolations(page)
}

for (const viewport of [{ width: 1440, height: 900 }, phone]) {
  test(`axe reports no violation on the pages of the reference, light and dark, ${viewport.width} px`, async t => {
    const service = await startService(t)
    const { page, problems } = await openPage(await launchBrowser(t), service, { viewport })
    const violations: Record<string, string[]> = {}
    for (const path of pages) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(path)
      const lines = await findViolationsUnfolded(page)
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) lines.push('too wide')
      await page.emulateMedia({ colorScheme: 'dark' })
      lines.push(...(await findViolationsUnfolded(page)))
      if (lines.length > 0) violations[path] = lines
    }
    assert.deepEqual(violations, {})
    assert.deepEqual(problems, [])
  })
}

test('a reader without a script opens the contents on a phone, searches, and unfolds fields and samples', async t => {
  const service = await startService(t)
  const { page } = await openPage(await launchBrowser(t), service, {
    javaScriptEnabled: false,
    viewport: phone,
  })
  await page.goto('/docs')
  await page.getByRole('button', { name: 'Contents' }).click()
  const contents = page.getByRole('navigation', { name: 'Contents' })
  await contents.getByText('Messages', { exact: true }).click()
  await contents.getByRole('link', { name: 'Create message' }).click()
  await page.getByRole('heading', { name: 'Create message', level: 1 }).waitFor()
  assert.equal(await contents.isVisible(), false)

  await page.getByText('JavaScript', { exact: true }).click()
  await page.getByText('await fetch(').waitFor()
  assert.equal(await page.getByText('curl -X POST').isVisible(), false)
  await page.getByText('Fields of EmbedInput').click()
  await page.locator('#body-embeds-title').waitFor()

  await page.getByRole('searchbox').fill('rate_limited')
  await page.keyboard.press('Enter')
  await page
    .getByRole('link', { name: /^error rate_limited/ })
    .first()
    .click()
  await page.waitForURL('**/docs/errors#ErrorBody-rate_limited')
})

test('the script finds while the reader types, and the keyboard chooses a result', async t => {
  const service = await startService(t)
  const { page, problems } = await openPage(await launchBrowser(t), service, {})
  await page.goto('/docs')
  await page.keyboard.press('/')
  await page.keyboard.type('execute webhook')
  const hits = page.locator('.hits')
  await hits.getByRole('link', { name: /^operation Execute webhook/ }).waitFor()
  // The browser clears the field, too.
  await page.keyboard.press('Escape')
  await hits.waitFor({ state: 'hidden' })
  await page.keyboard.type('execute webhook')
  await hits.getByRole('link', { name: /^operation Execute webhook/ }).waitFor()
  assert.deepEqual(await findViolationsUnfolded(page), [])
  await page.getByRole('searchbox').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/api/webhooks/execute-webhook')
  assert.deepEqual(problems, [])
})

test('a sample is copied, its language is kept, and a link to a folded field opens it', async t => {
  const service = await startService(t)
  const { page, problems } = await openPage(await launchBrowser(t), service, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.goto('/docs/api/messages/create-message')
  await page.getByText('Python', { exact: true }).click()
  const sample = page.locator('.sample[open]')
  await sample.getByRole('button', { name: 'Copy' }).click()
  await sample.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(copied, await sample.locator('code').textContent())
  assert.match(copied, /requests\.post\(/)

  await page.goto('/docs/api/users/get-current-user#error-401')
  await page.getByText('requests.get(').waitFor()
  assert.equal(await page.getByText('curl "').isVisible(), false)
  await page.goto('/docs/api/messages/create-message#body-embeds-title')
  await page.locator('#body-embeds-title').waitFor()
  assert.deepEqual(problems, [])
})
