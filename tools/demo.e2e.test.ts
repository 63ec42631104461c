import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installBot } from '@gatehouse/testkit/applications'
import { launchBrowser } from '@gatehouse/testkit/browser'
import { createClient } from '@gatehouse/testkit/client'
import { freePorts } from '@gatehouse/testkit/free-port'
import { openSession } from '@gatehouse/testkit/gateway-session'
import type { BrowserContext, Locator, Page } from 'playwright-core'

const main = fileURLToPath(new URL('../packages/server/src/cli/main.ts', import.meta.url))

interface Demo {
  child: ChildProcess
  url: string
  siteUrl: string
  webhookUrl: string
  people: { username: string; password: string }[]
}

/** Starts the demo on free ports and reads the URLs and passwords from its output. */
async function startDemo(t: TestContext): Promise<Demo> {
  const port = await freePorts(2)
  const child = spawn(process.execPath, [main, 'demo'], { env: { ...process.env, PORT: String(port) } })
  t.after(() => child.kill('SIGINT'))
  let output = ''
  child.stdout.setEncoding('utf8')
  child.stderr.pipe(process.stderr)
  for await (const text of child.stdout) {
    output += text
    if (output.includes('Ctrl-C stops everything')) break
  }
  const [url = '', siteUrl = '', docs = ''] =
    output
      .match(/http:\/\/localhost:\d+\S*/g)
      ?.filter(link => !link.includes('webhooks'))
      .slice(-3) ?? []
  assert.equal(docs, `${url}/docs`)
  const people = [...output.matchAll(/^ {4}(\w+) +(\S+)$/gm)].map(([, username = '', password = '']) => ({
    username,
    password,
  }))
  return {
    child,
    url,
    siteUrl,
    webhookUrl: output.match(/http\S+\/api\/webhooks\/[^\s']+/)?.[0] ?? '',
    people,
  }
}

async function signIn(context: BrowserContext, { url, people }: Demo, username: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await fillSignIn(page, username, people.find(person => person.username === username)?.password ?? '')
  await page.getByRole('link', { name: /^games/ }).waitFor()
  return page
}

async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username or email address').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Collects Content-Security-Policy violations, uncaught exceptions and other console errors of a page. */
function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('401')) errors.push(message.text())
  })
  return errors
}

/** A message in the channel. The live region can contain the same text, hence `first`. */
function findMessage(page: Page, text: string): Locator {
  return page.getByText(text).first()
}

/** Creates a bot that connects to the gateway and never responds to an interaction. */
async function connectSilentBot(demo: Demo, t: TestContext): Promise<void> {
  const ana = createClient(demo.url)
  const password = demo.people.find(person => person.username === 'ana')?.password
  await ana.request('POST', '/api/auth/login', { login: 'ana', password })
  const [server] = await ana.request<{ id: string }[]>('GET', '/api/users/@me/servers')
  const { token } = await installBot(ana, server?.id ?? '', { name: 'Sleeper' })
  const commands = [{ name: 'sleep', description: 'Never answers' }]
  const authorization = `Bot ${token}`
  await createClient(demo.url).request('PUT', '/api/applications/@me/commands', commands, { authorization })
  const session = await openSession(demo.url, { token })
  t.after(() => session.close())
}

test('the demo in a real browser', async t => {
  const demo = await startDemo(t)
  const browser = await launchBrowser(t)

  await t.test('two users see messages of each other in real time', async () => {
    const [first, second] = [await browser.newContext(), await browser.newContext()]
    const [ana, boris] = [await signIn(first, demo, 'ana'), await signIn(second, demo, 'boris')]
    const errors = [collectErrors(ana), collectErrors(boris)]
    await ana.getByRole('link', { name: /^games/ }).click()
    await boris.getByRole('link', { name: /^games/ }).click()
    await ana.getByLabel('Message #games').fill('Shall we **play**?')
    await ana.keyboard.press('Enter')
    await findMessage(boris, 'Shall we play?').waitFor()
    assert.equal(await boris.locator('strong', { hasText: 'play' }).count(), 1)
    assert.deepEqual(errors.flat(), [])
    await first.close()
    await second.close()
  })

  await t.test('every member sees the responses of a bot to a command and a button', async () => {
    const [first, second] = [await browser.newContext(), await browser.newContext()]
    const [ana, boris] = [await signIn(first, demo, 'ana'), await signIn(second, demo, 'boris')]
    for (const page of [ana, boris]) await page.getByRole('link', { name: /^games/ }).click()
    await ana.getByLabel('Message #games').pressSequentially('/roll')
    await ana.getByRole('option', { name: /^\/roll/ }).waitFor()
    await ana.keyboard.press('Enter')
    await ana.keyboard.press('Enter')
    const again = boris.getByRole('button', { name: 'Roll again' })
    await again.waitFor()
    await boris.getByText('/roll', { exact: true }).last().waitFor()
    await again.click()
    await ana.getByRole('button', { name: 'Roll again' }).nth(1).waitFor()
    await ana
      .getByText(/\dd6: \d/)
      .nth(1)
      .waitFor()
    await first.close()
    await second.close()
  })

  await t.test('only the invoking user sees an ephemeral response, and only until a reload', async () => {
    const [first, second] = [await browser.newContext(), await browser.newContext()]
    const [ana, boris] = [await signIn(first, demo, 'ana'), await signIn(second, demo, 'boris')]
    for (const page of [ana, boris]) await page.getByRole('link', { name: /^games/ }).click()
    await ana.getByLabel('Message #games').pressSequentially('/odds')
    await ana.getByRole('option', { name: /^\/odds/ }).waitFor()
    await ana.keyboard.press('Enter')
    await ana
      .getByRole('spinbutton', { name: /goal/ })
      .or(ana.getByRole('textbox', { name: /goal/ }))
      .fill('4')
    await ana.keyboard.press('Enter')
    await ana.getByText('Only you can see this').waitFor()
    // Else the answer replaces the placeholder after the reload.
    await ana.getByText(/4 or more with/).waitFor()
    // A later message, so that an earlier one would have arrived.
    await ana.getByLabel('Message #games').fill('That was close.')
    await ana.keyboard.press('Enter')
    await findMessage(boris, 'That was close.').waitFor()
    assert.equal(await boris.getByText('Only you can see this').count(), 0)
    await ana.reload()
    await findMessage(ana, 'That was close.').waitFor()
    assert.equal(await ana.getByText('Only you can see this').count(), 0)
    await first.close()
    await second.close()
  })

  await t.test('shows an error if a bot does not respond within three seconds', async t => {
    await connectSilentBot(demo, t)
    const context = await browser.newContext()
    const ana = await signIn(context, demo, 'ana')
    await ana.getByRole('link', { name: /^games/ }).click()
    await ana.getByLabel('Message #games').pressSequentially('/sleep')
    await ana.getByRole('option', { name: /^\/sleep/ }).waitFor()
    await ana.keyboard.press('Enter')
    await ana.keyboard.press('Enter')
    await ana.getByText('Sleeper did not respond in time.').waitFor()
    await context.close()
  })

  await t.test('messages of an incoming webhook appear in the channel in real time', async () => {
    const context = await browser.newContext()
    const ana = await signIn(context, demo, 'ana')
    await ana.getByRole('link', { name: /^deploys/ }).click()
    await ana.getByLabel('Message #deploys').waitFor()
    const embeds = [
      { title: 'Build 42', url: 'https://ci.example.org/42', description: 'All *green*', color: 3066993 },
    ]
    const posts: [string, object][] = [
      [demo.webhookUrl, { content: 'It is deployed.', username: 'CI', embeds }],
      [`${demo.webhookUrl}/slack`, { text: 'And *Slack* says so too.' }],
    ]
    for (const [url, body] of posts) {
      const curl = spawn('curl', [
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        '-H',
        'Content-Type: application/json',
        '-d',
        JSON.stringify(body),
        url,
      ])
      let status = ''
      curl.stdout.on('data', text => {
        status += text
      })
      await once(curl, 'close')
      assert.equal(status, url.endsWith('/slack') ? '200' : '204')
    }
    await findMessage(ana, 'It is deployed.').waitFor()
    await ana.getByRole('link', { name: 'Build 42' }).waitFor()
    await findMessage(ana, 'And Slack says so too.').waitFor()
    await context.close()
  })

  for (const javaScriptEnabled of [true, false]) {
    await t.test(`a site signs a user in, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      const errors = collectErrors(page)
      await page.goto(demo.siteUrl)
      await page.getByRole('link', { name: 'Sign in with Gatehouse' }).click()
      await fillSignIn(page, 'boris', demo.people.find(person => person.username === 'boris')?.password ?? '')
      // The first sign-in shows a consent screen. Later requests for the same scopes skip it.
      const allow = page.getByRole('button', { name: /allow|authorize|continue/i })
      await allow.or(page.getByText('You are signed in as')).first().waitFor()
      if (await allow.count()) {
        assert.equal(javaScriptEnabled, true, 'consent is remembered')
        await allow.click()
      }
      await page.getByText('You are signed in as boris').waitFor()
      assert.equal(new URL(page.url()).origin, demo.siteUrl)
      assert.deepEqual(errors, [])
      await context.close()
    })
  }

  await t.test('signing in to and out of the site does not end the session in the community', async () => {
    const context = await browser.newContext()
    const community = await signIn(context, demo, 'ana')
    const site = await context.newPage()
    await site.goto(demo.siteUrl)
    await site.getByRole('link', { name: 'Sign in with Gatehouse' }).click()
    await site.getByRole('button', { name: /allow|authorize|continue/i }).click()
    await site.getByText('You are signed in as ana').waitFor()
    await community.reload()
    await community.getByRole('link', { name: /^games/ }).waitFor()
    await site.reload()
    await site.getByText('You are signed in as ana').waitFor()
    await site.getByRole('button', { name: 'Sign out' }).click()
    await site.getByRole('link', { name: 'Sign in with Gatehouse' }).waitFor()
    await community.reload()
    await community.getByRole('link', { name: /^games/ }).waitFor()
    const names = (await context.cookies()).map(({ name }) => name)
    assert.deepEqual(
      names.filter(name => !/^(gatehouse|sign_in_site)_/.test(name)),
      [],
    )
    await context.close()
  })

  await t.test('a browser-only site signs a user in with PKCE', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const errors = collectErrors(page)
    await page.goto(`${demo.siteUrl}/browser`)
    await page
      .getByRole('button', { name: 'Sign in with Gatehouse' })
      .or(page.getByRole('link', { name: 'Sign in with Gatehouse' }))
      .first()
      .click()
    await fillSignIn(page, 'ana', demo.people.find(person => person.username === 'ana')?.password ?? '')
    await page.getByRole('button', { name: /allow|authorize|continue/i }).click()
    await page.getByText('Ana', { exact: true }).first().waitFor()
    assert.equal(new URL(page.url()).origin, demo.siteUrl)
    assert.deepEqual(errors, [])
    await context.close()
  })

  await t.test('Ctrl-C stops all services', async () => {
    demo.child.kill('SIGINT')
    const [code] = await once(demo.child, 'exit')
    assert.equal(code, 0)
    for (const url of [demo.url, demo.siteUrl]) await assert.rejects(fetch(url))
  })
})
