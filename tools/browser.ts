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

/** Where the system's Chromium is, if there is one. */
export const browserPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** The system's Chromium, which asks nobody on the network for anything of its own. Whoever starts it closes it. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath, args })
}

/** Closed with `work`. Where there is no Chromium the test runner names the file as not run and does not start it. */
export async function launchBrowser(work: Work): Promise<Browser> {
  const browser = await startBrowser()
  work.after(() => browser.close())
  return browser
}
