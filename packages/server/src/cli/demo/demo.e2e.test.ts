import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { launchBrowser } from '@gatehouse/testkit/browser'
import { freePorts } from '@gatehouse/testkit/free-port'
import type { BrowserContext, Page } from 'playwright-core'

const main = join(import.meta.dirname, '../main.ts')

/** Starts the demo on free ports. Reads what it prints: the URLs, the password of each user, and a command. */
async function startDemo(t: TestContext) {
  const env = { ...process.env, PORT: String(await freePorts(2)) }
  const child = spawn(process.execPath, [main, 'demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGINT'))
  let output = ''
  // The pipe stays open: a program that prints to a closed one ends.
  for await (const [text] of on(child.stdout.setEncoding('utf8'), 'data', { close: ['end'] })) {
    output += text
    if (output.includes('Ctrl-C stops everything')) break
  }
  child.stdout.resume()
  const [, url = '', siteUrl = ''] = /The community +(\S+)\n.* (\S+)\n.* \1\/docs\n/.exec(output) ?? []
  const passwords = new Map(
    Array.from(output.matchAll(/^ {4}(\w+) +(\S+)$/gm), ([, name, password]) => [name, password]),
  )
  return { child, url, siteUrl, passwords, curl: /^ +(curl .*)$/m.exec(output)?.[1] ?? '' }
}

test('the demo in a browser', async t => {
  const demo = await startDemo(t)
  const browser = await launchBrowser(t)
  // Content-Security-Policy violations, uncaught exceptions and others. 401 is expected before the sign-in.
  const errors: string[] = []

  async function openContext(options = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options)
    context.on('weberror', error => errors.push(error.error().message))
    context.on('console', message => {
      if (message.type() === 'error' && !message.text().includes('401')) errors.push(message.text())
    })
    return context
  }
  async function fillSignIn(page: Page, username: string): Promise<void> {
    await page.getByLabel('Username or email address').fill(username)
    await page.getByLabel('Password').fill(demo.passwords.get(username) ?? '')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  async function openChannel(context: BrowserContext, username: string, channel: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(demo.url)
    await fillSignIn(page, username)
    await page.getByRole('link', { name: new RegExp(`^${channel}`) }).click()
    await page.getByLabel(`Message #${channel}`).waitFor()
    return page
  }
  async function openCommand(page: Page, name: string): Promise<void> {
    await page.getByLabel('Message #games').pressSequentially(`/${name}`)
    await page.getByRole('option', { name: new RegExp(`^/${name}`) }).waitFor()
    await page.keyboard.press('Enter')
  }

  await t.test(
    'the bot responds to a command of one user and to the button that another presses',
    async () => {
      const ana = await openChannel(await openContext(), 'ana', 'games')
      const boris = await openChannel(await openContext(), 'boris', 'games')
      await openCommand(ana, 'roll')
      await ana.keyboard.press('Enter')
      await boris.getByText('/roll', { exact: true }).last().waitFor()
      await boris.getByRole('button', { name: 'Roll again' }).click()
      await ana.getByRole('button', { name: 'Roll again' }).nth(1).waitFor()

      // An ephemeral response: only its user sees it, until a reload.
      await openCommand(ana, 'odds')
      await ana
        .getByRole('spinbutton', { name: /goal/ })
        .or(ana.getByRole('textbox', { name: /goal/ }))
        .fill('4')
      await ana.keyboard.press('Enter')
      await ana.getByText('Only you can see this').waitFor()
      await ana.getByText(/4 or more with/).waitFor()
      // A later message, so that an earlier one would have arrived.
      await ana.getByLabel('Message #games').fill('That was close.')
      await ana.keyboard.press('Enter')
      await boris.getByText('That was close.').first().waitFor()
      assert.equal(await boris.getByText('Only you can see this').count(), 0)
      await ana.reload()
      await ana.getByText('That was close.').first().waitFor()
      assert.equal(await ana.getByText('Only you can see this').count(), 0)
    },
  )

  await t.test('the printed command posts a message', async () => {
    const ana = await openChannel(await openContext(), 'ana', 'deploys')
    await promisify(execFile)('sh', ['-c', demo.curl])
    await ana.getByText('It is deployed.').first().waitFor()
  })

  await t.test('the site signs a user in without JavaScript', async () => {
    const page = await (await openContext({ javaScriptEnabled: false })).newPage()
    await page.goto(demo.siteUrl)
    await page.getByRole('link', { name: 'Sign in with Gatehouse' }).click()
    await fillSignIn(page, 'boris')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('You are signed in as boris').waitFor()
    assert.equal(new URL(page.url()).origin, demo.siteUrl)
  })

  await t.test('the sessions of both sites and of the community do not end each other', async () => {
    const context = await openContext()
    const community = await openChannel(context, 'ana', 'games')
    for (const path of ['/', '/browser']) {
      const site = await context.newPage()
      await site.goto(demo.siteUrl + path)
      await site.getByText('Sign in with Gatehouse').click()
      await site.getByRole('button', { name: 'Allow' }).click()
      await site.getByText('You are signed in as ana').waitFor()
      await community.reload()
      await community.getByRole('link', { name: /^games/ }).waitFor()
      await site.getByText('Sign out').click()
      await site.getByText('Sign in with Gatehouse').waitFor()
      await community.reload()
      await community.getByRole('link', { name: /^games/ }).waitFor()
    }
    const names = (await context.cookies()).map(({ name }) => name)
    for (const name of names) assert.match(name, /^(gatehouse|sign_in_site)_/)
  })

  assert.deepEqual(errors, [])
  demo.child.kill('SIGINT')
  assert.deepEqual(await once(demo.child, 'exit'), [0, null])
  for (const url of [demo.url, demo.siteUrl]) await assert.rejects(fetch(url))
})
