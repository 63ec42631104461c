import { type Browser, chromium } from 'playwright-core'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Whoever closes the browser when the work is over: a test does. */
interface Work {
  after(end: () => Promise<void>): void
}

/**
 * The system's Chromium, which asks nobody on the network for anything of its own; closed with `work`. Where there is
 * none the test runner names the file as not run and does not start it.
 */
export async function launchBrowser(work: Work): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args })
  work.after(() => browser.close())
  return browser
}
