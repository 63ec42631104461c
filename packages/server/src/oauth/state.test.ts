import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { TestUser } from '@gatehouse/testkit/community'
import {
  createClient,
  eachService,
  type TestClient,
  type TestResponse,
  type TestService,
} from '@gatehouse/testkit/service'
import { addTotp, totpCode } from '../accounts/second-factor/second-factor-testing.ts'
import { hiddenFields, password, register } from '../accounts/users/users-testing.ts'
import {
  authorizePath,
  decide,
  follow,
  locationOf,
  makeApplication,
  parametersOf,
  signInAt,
  signUp,
  type TestApplication,
} from './oauth-testing.ts'

/** Like `fetch`, which accepts only 16 KiB of headers, for redirects with a long state. */
function fetchWithLongHeaders(url: URL, init: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const sent = request(
      url,
      { method: init.method ?? 'GET', headers, maxHeaderSize: 64 * 1024 },
      async reply => {
        const received = new Headers()
        for (let i = 0; i < reply.rawHeaders.length; i += 2) {
          received.append(reply.rawHeaders[i] ?? '', reply.rawHeaders[i + 1] ?? '')
        }
        const body = await reply.setEncoding('utf8').toArray()
        resolve(new Response(body.join(''), { status: reply.statusCode ?? 0, headers: received }))
      },
    )
    sent.on('error', reject)
    sent.end(init.body)
  })
}

function openBrowser(service: TestService): TestClient {
  return createClient(service.url, undefined, fetchWithLongHeaders)
}

/** 8,000 bytes in different encodings, from the shortest to the longest URL. */
const longStates: readonly (readonly [name: string, state: string])[] = [
  ['no byte', ''],
  ['letters', 'abcdefgh'.repeat(1000)],
  ['Cyrillic letters', 'Привет, мир! '.repeat(363)],
  ['percent signs', '%'.repeat(8000)],
  ['different characters', differentCharacters()],
]

/** Compresses badly. */
function differentCharacters(): string {
  let text = ''
  for (let i = 1, n = 1; i <= 4000; i++) {
    n = (n * 48_271) % 2_147_483_647
    text += String.fromCodePoint(0x80 + (n % 0x780))
  }
  return text
}

async function start(service: TestService) {
  const user = await signUp(service, 'ada')
  const app = await makeApplication(user)
  return { user, app }
}

function assertState(reply: TestResponse, member: 'code' | 'error', state: string): void {
  const parameters = parametersOf(reply)
  assert.ok(parameters[member] !== undefined, JSON.stringify(parameters).slice(0, 200))
  assert.ok(parameters.state === state, `${parameters.state?.length} characters`)
}

/** Opens a link of the page whose path starts with `path`. */
function openLink(browser: TestClient, page: TestResponse, path: string): Promise<TestResponse> {
  const links = Array.from(page.text.matchAll(/ href="([^"]*)"/g), ([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  const link = links.find(href => href.startsWith(path))
  assert.ok(link !== undefined, page.text)
  return browser.get(link)
}

async function openSignIn(browser: TestClient, app: TestApplication, more: Record<string, string>) {
  const location = locationOf(await browser.get(authorizePath(app, more)))
  assert.equal(location.pathname, '/login')
  return browser.get(location.pathname + location.search)
}

/** Submits the first form of a page whose path is `path`. */
function submit(
  browser: TestClient,
  path: string,
  page: TestResponse,
  fields: Record<string, string>,
): Promise<TestResponse> {
  return browser.form(path, { ...hiddenFields(page.text), ...fields })
}

function passwordOf(user: TestUser) {
  return { login: user.username, password: user.password }
}

for (const [name, state] of longStates) {
  eachService(
    `sign-in/state: 8,000 bytes (${name}) return from sign-in, consent, denial and errors`,
    async (_t, service) => {
      const { user, app } = await start(service)
      const browser = openBrowser(service)
      const consent = await follow(
        browser,
        await signInAt(browser, await browser.get(authorizePath(app, { state })), user),
      )
      assertState(await decide(browser, consent, { decision: 'deny' }), 'error', state)
      assertState(await decide(browser, consent), 'code', state)
      assertState(await browser.get(authorizePath(app, { state })), 'code', state)
      assertState(await browser.get(authorizePath(app, { state, response_type: 'token' })), 'error', state)
      assertState(
        await openBrowser(service).get(authorizePath(app, { state, prompt: 'none' })),
        'error',
        state,
      )
    },
  )

  eachService(
    `sign-in/state: 8,000 bytes (${name}) return from registration and a change of the language`,
    async (_t, service) => {
      const { app } = await start(service)
      const browser = openBrowser(service)
      const english = await openSignIn(browser, app, { state })
      const signIn = await follow(browser, await openLink(browser, english, '/language?locale=ru'))
      assert.match(signIn.text, /<html lang="ru">/)
      const forgotten = await openLink(browser, signIn, '/forgot-password')
      const page = await openLink(browser, await openLink(browser, forgotten, '/login'), '/register')
      const fields = { username: 'bob', email: 'bob@example.org', password: 'password of bob' }
      const rejected = await submit(browser, '/register', page, { ...fields, password: 'x' })
      assert.equal(rejected.status, 400)
      const consent = await follow(browser, await submit(browser, '/register', rejected, fields))
      const translated = await follow(browser, await openLink(browser, consent, '/language?locale=en'))
      assertState(await decide(browser, translated), 'code', state)
    },
  )

  eachService(
    `sign-in/state: 8,000 bytes (${name}) return from the second factor, prompt=login and another account`,
    async (_t, service) => {
      const client = service.client()
      const { id } = (await register(client, 'ada')).body
      const user = { client, id, username: 'ada', email: 'ada@example.org', password }
      const app = await makeApplication(user)
      const { secret } = await addTotp(service, client)
      const browser = openBrowser(service)
      const signIn = await openSignIn(browser, app, { state, prompt: 'login' })
      const wrong = await submit(browser, '/login', signIn, { ...passwordOf(user), password: 'wrong' })
      assert.equal(wrong.status, 401)
      const afterPassword = await submit(browser, '/login', wrong, passwordOf(user))
      const factor = await follow(browser, afterPassword)
      const recovery = await openLink(browser, factor, '/login/second-factor')
      service.clock.advance(60_000)
      const code = await totpCode(service, secret)
      const factorAgain = await openLink(browser, recovery, '/login/second-factor')
      const consent = await follow(
        browser,
        await submit(browser, '/login/second-factor', factorAgain, { code }),
      )
      const again = await openLink(browser, consent, '/login?')
      const bob = await signUp(service, 'bob')
      const bobs = await follow(browser, await submit(browser, '/login', again, passwordOf(bob)))
      assertState(await decide(browser, bobs), 'code', state)
    },
  )
}

eachService(
  'sign-in/state: a request with 8,000 percent-encoded bytes is accepted by GET and POST',
  async (_t, service) => {
    const { user, app } = await start(service)
    const browser = openBrowser(service)
    const rest = authorizePath(app, { state: undefined })
    const consent = await follow(
      browser,
      await signInAt(browser, await browser.get(`${rest}&state=${'%61'.repeat(8000)}`), user),
    )
    assertState(await decide(browser, consent), 'code', 'a'.repeat(8000))
    const state = 'я'.repeat(4000)
    const posted = await openBrowser(service).form(rest, { state }, { 'sec-fetch-site': 'cross-site' })
    assertState(await follow(browser, posted), 'code', state)
  },
)
