import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { createVisitor, type Visitor } from './demo/visitor.ts'
import { freePorts } from './free-port.ts'

const demo = fileURLToPath(new URL('./demo.ts', import.meta.url))

interface Demo {
  child: ChildProcess
  url: string
  siteUrl: string
  webhookUrl: string
  people: { username: string; password: string }[]
}

/** The demo of the README on ports of its own, the site's after the service's, as its own words announce it. */
async function startDemo(t: TestContext): Promise<Demo> {
  const port = await freePorts(2)
  const child = spawn(process.execPath, [demo], { env: { ...process.env, PORT: String(port) } })
  t.after(() => child.kill('SIGINT'))
  let said = ''
  child.stdout.setEncoding('utf8')
  child.stderr.pipe(process.stderr)
  for await (const text of child.stdout) {
    said += text
    if (said.includes('Ctrl-C ends all of it')) break
  }
  const [url = '', siteUrl = '', docs = ''] =
    said
      .match(/http:\/\/localhost:\d+\S*/g)
      ?.filter(is => !is.includes('webhooks'))
      .slice(-3) ?? []
  assert.equal(docs, `${url}/docs`)
  const people = [...said.matchAll(/^ {4}(\w+) +(\S+)$/gm)].map(([, username = '', password = '']) => ({
    username,
    password,
  }))
  return { child, url, siteUrl, webhookUrl: said.match(/http\S+\/api\/webhooks\/[^\s']+/)?.[0] ?? '', people }
}

async function signIn(context: BrowserContext, { url, people }: Demo, username: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await fillSignIn(page, username, people.find(person => person.username === username)?.password ?? '')
  await page.getByRole('link', { name: /^games/ }).waitFor()
  return page
}

async function fillSignIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username or mail address').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function asVisitor({ url, people }: Demo, username: string): Promise<Visitor> {
  const visitor = createVisitor(url)
  const password = people.find(person => person.username === username)?.password
  await visitor.json('POST', '/api/auth/login', { login: username, password })
  return visitor
}

/** Problems that the page itself reports: a broken Content-Security-Policy, a script that throws. */
function watch(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('401')) problems.push(message.text())
  })
  return problems
}

/** A message that stands in the channel; the same words may be read out by the live region beside it. */
function said(page: Page, text: string): Locator {
  return page.getByText(text).first()
}

interface WithId {
  id: string
  name?: string
}

/** A bot of Boris's that is connected by the runtime's own WebSocket and never answers. */
async function connectSilentBot(demo: Demo, t: TestContext): Promise<void> {
  const ana = await asVisitor(demo, 'ana')
  const [server] = await ana.json<WithId[]>('GET', '/api/users/@me/servers')
  const application = await ana.json<WithId>('POST', '/api/applications', {
    name: 'Sleeper',
    type: 'confidential',
  })
  const { token } = await ana.json<{ token: string }>('POST', `/api/applications/${application.id}/bot`, {})
  const query = new URLSearchParams({
    client_id: application.id,
    scope: 'bot applications.commands',
    permissions: '1024',
    server_id: server?.id ?? '',
  })
  await ana.decide(`/oauth2/authorize?${query}`, 'allow')
  const put = await fetch(`${demo.url}/api/applications/@me/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ name: 'sleep', description: 'Never answers' }]),
  })
  assert.equal(put.status, 200)
  const gateway = await ana.json<{ url: string }>('GET', '/api/gateway')
  const socket = new WebSocket(gateway.url)
  t.after(() => socket.close())
  await new Promise<void>(resolve => {
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data))
      if (frame.op === 10) socket.send(JSON.stringify({ op: 2, d: { token } }))
      if (frame.t === 'READY') resolve()
    })
  })
}

test('the demo: three doors in a real browser', async t => {
  const demo = await startDemo(t)
  const browser = await launchBrowser(t)

  await t.test('two people see what the other writes, at once', async () => {
    const [first, second] = [await browser.newContext(), await browser.newContext()]
    const [ana, boris] = [await signIn(first, demo, 'ana'), await signIn(second, demo, 'boris')]
    const problems = [...watch(ana), ...watch(boris)]
    await ana.getByRole('link', { name: /^games/ }).click()
    await boris.getByRole('link', { name: /^games/ }).click()
    await ana.getByLabel('Message #games').fill('Shall we **play**?')
    await ana.keyboard.press('Enter')
    await said(boris, 'Shall we play?').waitFor()
    assert.equal(await boris.locator('strong', { hasText: 'play' }).count(), 1)
    assert.deepEqual(problems, [])
    await first.close()
    await second.close()
  })

  await t.test('a command is answered, and so is the button under the answer, for all who look', async () => {
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

  await t.test('an ephemeral answer is seen by one person and gone after a reload', async () => {
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
    assert.equal(await boris.getByText('Only you can see this').count(), 0)
    await ana.reload()
    await ana.getByLabel('Message #games').waitFor()
    assert.equal(await ana.getByText('Only you can see this').count(), 0)
    await first.close()
    await second.close()
  })

  await t.test('a bot that does not answer within three seconds is told of', async t => {
    await connectSilentBot(demo, t)
    const context = await browser.newContext()
    const ana = await signIn(context, demo, 'ana')
    await ana.getByRole('link', { name: /^games/ }).click()
    await ana.getByLabel('Message #games').pressSequentially('/sleep')
    await ana.getByRole('option', { name: /^\/sleep/ }).waitFor()
    await ana.keyboard.press('Enter')
    await ana.keyboard.press('Enter')
    await ana.getByText('Sleeper did not answer in time.').waitFor()
    await context.close()
  })

  await t.test('what a program posts to the webhook stands in the channel, live', async () => {
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
    await said(ana, 'It is deployed.').waitFor()
    await ana.getByRole('link', { name: 'Build 42' }).waitFor()
    await said(ana, 'And Slack says so too.').waitFor()
    await context.close()
  })

  for (const javaScriptEnabled of [true, false]) {
    await t.test(`a site signs a person in, with script ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      const problems = watch(page)
      await page.goto(demo.siteUrl)
      await page.getByRole('link', { name: 'Sign in with Gatehouse' }).click()
      await fillSignIn(page, 'boris', demo.people.find(person => person.username === 'boris')?.password ?? '')
      // The first time there is a consent screen, then the same scopes proceed without it.
      const allow = page.getByRole('button', { name: /allow|authorize|continue/i })
      await allow.or(page.getByText('You are signed in as')).first().waitFor()
      if (await allow.count()) {
        assert.equal(javaScriptEnabled, true, 'consent is remembered')
        await allow.click()
      }
      await page.getByText('You are signed in as boris').waitFor()
      assert.equal(new URL(page.url()).origin, demo.siteUrl)
      assert.deepEqual(problems, [])
      await context.close()
    })
  }

  await t.test('a site without a server signs a person in by PKCE alone', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const problems = watch(page)
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
    assert.deepEqual(problems, [])
    await context.close()
  })

  await t.test('Ctrl-C ends all of it', async () => {
    demo.child.kill('SIGINT')
    const [code] = await once(demo.child, 'exit')
    assert.equal(code, 0)
    for (const url of [demo.url, demo.siteUrl]) await assert.rejects(fetch(url))
  })
})
