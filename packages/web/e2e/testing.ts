import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Person } from '../../server/src/platform/testing.ts'
import type { Client, TestService } from '../../server/src/testing.ts'

/** The password of those that `register` makes. */
export const password = 'correct horse'

/** A picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

interface Opened {
  page: Page
  /** What went wrong in the page itself so far: a script that threw, a broken Content-Security-Policy. */
  problems: string[]
  /** The gateway has welcomed it for the first time. */
  connected: Promise<void>
}

/** The client in a browser of its own, where the person is signed in already. */
export async function openAs(
  browser: Browser,
  { url }: Pick<TestService, 'url'>,
  { client }: { client: Pick<Client, 'cookies'> },
  path = '/',
  options: BrowserContextOptions = {},
  /** Before the page is loaded. */
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<Opened> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  await context.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })))
  const page = await context.newPage()
  // Longer than the client waits between two attempts to reach the service.
  page.setDefaultTimeout(60_000)
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
    // A refusal that the page shows is no problem of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  await prepare(page)
  await page.goto(url + path)
  return { page, problems, connected }
}

/** Presses the button of the dialog that asks before something is lost, and waits until it is gone. */
export async function confirmIn(page: Page, action: string): Promise<void> {
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Resolves when the list of messages stands at its end. */
export async function atEnd(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const list = document.querySelector('.messages')
    return list && list.scrollHeight - list.scrollTop - list.clientHeight < 2
  })
}

/** What axe finds, one line for each place. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<
    { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[]
  >('axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)')
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}

/** The application of a person, made by the API. */
export async function makeApplication({ client }: Person, name: string, more: object = {}) {
  const reply = await client.json('POST', '/api/applications', { name, type: 'confidential', ...more })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.body as { id: string; clientSecret: string }
}
