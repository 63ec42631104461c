import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { launchBrowser } from '@gatehouse/testkit/browser'
import type { TestClient, TestService } from '@gatehouse/testkit/service'
import { browserTimeoutMs } from '@gatehouse/testkit/start-browser'
import type { BrowserContextOptions, Page } from 'playwright-core'

/** The password of the users that `register` creates. */
export const password = 'correct horse'

/** How the client names a user about whom somebody decides (`ui/user-name.tsx`). */
export function named(username: string, displayName = username): string {
  return `\u2068${displayName}\u2069 (@${username})`
}

interface OpenedPage {
  page: Page
  /** Uncaught exceptions and console errors so far, such as violations of the Content-Security-Policy. */
  problems: string[]
  /** Resolves after the first READY event of the gateway. */
  connected: Promise<void>
}

/** Opens the client in a new browser context with the session of the user. The end of the test closes the context. */
export async function openAs(
  t: TestContext,
  { url }: Pick<TestService, 'url'>,
  { client }: { client: Pick<TestClient, 'cookies'> },
  path = '/',
  options: BrowserContextOptions = {},
  /** Runs before the page is loaded. */
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<OpenedPage> {
  const browser = await launchBrowser(t)
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  await context.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })))
  const page = await context.newPage()
  const connected = new Promise<void>(resolve => {
    page.on('websocket', socket =>
      socket.on('framereceived', ({ payload }) => {
        if (payload.includes('"t":"READY"')) resolve()
      }),
    )
  })
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    // The browser logs every error response. The page handles those.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  await prepare(page)
  await page.goto(url + path)
  return { page, problems, connected }
}

/**
 * Reads a value until it is `expected`, and asserts it. For state that nothing before it guarantees: the client shows
 * what the user does before the service has it, and events reach each window at another time.
 */
export async function waitForValue<Value>(
  read: () => Value | Promise<Value>,
  expected: Value,
  message = 'the value',
): Promise<void> {
  const end = performance.now() + browserTimeoutMs
  for (;;) {
    const value = await read()
    if (isDeepStrictEqual(value, expected)) return
    if (performance.now() > end) assert.deepEqual(value, expected, message)
    await wait(20)
  }
}

/** Waits until the control with this `aria-label` has the focus. */
export async function waitForFocus(page: Page, label: string): Promise<void> {
  await waitForValue(
    () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null),
    label,
    'the focus',
  )
}

/** Scrolls the message list to its start. Repeats it, because the list ignores a scroll while its layout changes. */
export async function scrollToStart(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    document.querySelector('.messages')?.scrollTo({ top: 0 })
    return document.querySelector('.jump')
  })
}

/** Presses the `action` button of a confirmation, and waits until it is closed unless it opens another. */
export async function confirmDialog(page: Page, action: string, isLast = true): Promise<void> {
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: action, exact: true }).click()
  if (isLast) await dialog.waitFor({ state: 'detached' })
}

/** Resolves when the message list is scrolled to its end. */
export async function waitForListEnd(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const list = document.querySelector('.messages')
    return list && list.scrollHeight - list.scrollTop - list.clientHeight < 2
  })
}

/** Starts a site on a loopback port that answers every request with `text`. Playwright routes do not see redirects. */
export async function startSite(t: TestContext, text: string): Promise<string> {
  const site = createHttpServer((_request, response) => response.end(text))
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.after(() => {
    site.closeAllConnections()
    site.close()
  })
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

/** Answers requests for the members of the server as if 1,500 others came before the real ones. */
export async function addMembers(page: Page): Promise<void> {
  const others = Array.from({ length: 1500 }, (_, index) => {
    const username = `member${index + 1}`
    const user = {
      id: String(index + 1),
      username,
      displayName: username,
      avatar: '/icon-192.png',
      bot: false,
    }
    return { user, nick: null, roles: [], joinedAt: '2026-01-01T00:00:00.000Z', timedOutUntil: null }
  })
  await page.route('**/api/servers/*/members?*', async route => {
    const url = new URL(route.request().url())
    const after = url.searchParams.get('after') ?? '0'
    if (after.length > 4) return route.continue()
    url.searchParams.delete('after')
    const real: unknown[] = await (await route.fetch({ url: url.href })).json()
    await route.fulfill({ json: [...others, ...real].slice(Number(after), Number(after) + 100) })
  })
}

/** Finds a role, member or channel for a permission form, and adds it. */
export async function addTarget(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('button', { name: `Add: ${field}` }).press('Enter')
  await page.getByRole('searchbox').fill(name)
  await page.getByRole('option', { name }).first().click()
}
