import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from './start-browser.ts'

/** For example a `TestContext`. */
interface Scope {
  after(close: () => Promise<void>): void
}

let browser: Promise<Browser> | undefined

after(async () => (await browser)?.close())

/**
 * The Chromium of all tests of this process, because a start takes longer than many tests. Closes the contexts of the
 * test at its end. The test runner skips browser tests if Chromium is missing.
 */
export async function launchBrowser(t: Scope): Promise<Browser> {
  browser ??= startBrowser()
  const launched = await browser
  t.after(async () => {
    await Promise.all(launched.contexts().map(context => context.close()))
  })
  return launched
}
