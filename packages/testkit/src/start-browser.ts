import { type Browser, chromium } from 'playwright-core'
import { findCommand } from './local-servers.ts'

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

// The first one is Chromium without its user interface. The browser tests take half of the processor time with it.
const commands = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/** The path of the installed Chromium: `CHROMIUM_PATH` if it is set. Undefined if there is none. */
export function findBrowser(): string | undefined {
  const path = process.env.CHROMIUM_PATH
  return findCommand(path ? [path] : commands.flatMap(name => [`/usr/bin/${name}`, name]))
}

/** Longer than any wait on a busy machine, and than the greatest delay between two reconnects of the web client. */
export const browserTimeoutMs = 60_000

/** Starts Chromium without background network requests. The caller closes it. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === undefined)
    throw new Error('Chromium is not installed, and CHROMIUM_PATH names none.')
  const browser = await chromium.launch({ executablePath, args, timeout: browserTimeoutMs })
  return browser.on('context', context => context.setDefaultTimeout(browserTimeoutMs))
}
