import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { launchBrowser } from '@gatehouse/testkit/browser'
import type { Page } from 'playwright-core'
import { person, startSite } from './testing.ts'

/** Opens a browser without cookies and collects its errors and warnings. */
async function openBrowser(t: TestContext): Promise<{ page: Page; errors: string[] }> {
  const browser = await launchBrowser(t)
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  return { page, errors }
}

async function signIn(page: Page, decision: 'allow' | 'deny'): Promise<void> {
  await page.getByText('Sign in with Gatehouse').click()
  await page.locator('input[name=login]').fill(person.username)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('input[name=password]').press('Enter')
  await page.locator(`button[value=${decision}]`).click()
}

for (const path of ['/', '/browser']) {
  test(`a user signs in at ${path}, is still signed in after a reload, and signs out`, async t => {
    const { siteUrl } = await startSite(t)
    const { page, errors } = await openBrowser(t)
    await page.goto(siteUrl + path)
    await signIn(page, 'allow')
    await page.getByText('You are signed in as ana').waitFor()
    assert.equal(page.url(), siteUrl + path, 'the URL does not contain the code')
    assert.equal(await page.locator('h1:visible').textContent(), person.displayName)
    const picture = page.locator('img.avatar')
    await picture.evaluate((image: HTMLImageElement) => image.decode())

    await page.reload()
    await page.getByText('Sign out').click()
    await page.getByText('Sign in with Gatehouse').waitFor()
    await page.reload()
    await page.getByText('Sign in with Gatehouse').waitFor()
    assert.deepEqual(errors, [])
  })

  test(`shows that nothing was shared if the user denies consent at ${path}`, async t => {
    const { siteUrl } = await startSite(t)
    const { page } = await openBrowser(t)
    await page.goto(siteUrl + path)
    await signIn(page, 'deny')
    await page.getByText('You did not allow the sign-in. Nothing was shared.').waitFor()
  })
}
