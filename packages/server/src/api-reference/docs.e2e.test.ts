import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { launchBrowser } from '@gatehouse/testkit/browser'
import { startService } from '@gatehouse/testkit/service'

for (const width of [1440, 390]) {
  test(`axe reports no violation on the guides and the gateway, light and dark, ${width} px`, async t => {
    const { url } = await startService(t)
    const browser = await launchBrowser(t)
    const viewport = { width, height: 900 }
    const page = await (await browser.newContext({ baseURL: url, viewport })).newPage()
    const violations: Record<string, string[]> = {}
    for (const path of [
      '/docs',
      '/docs/guides/sign-in',
      '/docs/guides/bots/commands',
      '/docs/gateway',
      '/docs/errors',
    ]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(path)
        const lines = await findViolations(page)
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          lines.push('too wide')
        if (lines.length > 0) violations[`${path}, ${colorScheme}`] = lines
      }
    }
    assert.deepEqual(violations, {})
  })
}

test('the viewer shows an operation without an error or a request to another host', async t => {
  const { url } = await startService(t)
  const page = await (await (await launchBrowser(t)).newContext({ baseURL: url })).newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('request', request => {
    if (new URL(request.url()).origin !== url) problems.push(request.url())
  })
  await page.goto('/docs/api/messages/create-message')
  assert.equal(new URL(page.url()).pathname, '/docs/api')
  const operation = page.locator('[id$="POST/api/channels/{id}/messages"]')
  await operation.getByRole('heading', { name: 'Sends a message to a channel' }).waitFor()
  await operation.getByText('curl').first().waitFor()
  assert.deepEqual(problems, [])
})
