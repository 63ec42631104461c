import { type Browser, chromium } from 'playwright-core'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Otherwise Chromium loads a page whose server did not respond again by itself, while the test navigates.
  '--disable-auto-reload',
]

/** For example a `TestContext`. */
interface Scope {
  after(close: () => Promise<void>): void
}

/** The path of the installed Chromium. */
export const browserPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Longer than any wait on a busy machine, and than the greatest delay between two reconnects of the web client. */
export const browserTimeoutMs = 60_000

/** Starts Chromium without background network requests. The caller closes it. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: browserPath, args, timeout: browserTimeoutMs })
  return browser.on('context', context => context.setDefaultTimeout(browserTimeoutMs))
}

/** Starts Chromium and closes it at the end of the test. The test runner skips browser tests if Chromium is missing. */
export async function launchBrowser(t: Scope): Promise<Browser> {
  const browser = await startBrowser()
  t.after(() => browser.close())
  return browser
}
