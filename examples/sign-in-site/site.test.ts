import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startSite } from './testing.ts'

async function start(t: TestContext) {
  const world = await startSite(t)
  return { ...world, browser: createBrowser(world.siteUrl) }
}

/** Keeps the site's cookies and follows no redirect. */
function createBrowser(siteUrl: string) {
  const cookies = new Map<string, string>()
  return async (path: string, method = 'GET') => {
    const response = await fetch(new URL(path, siteUrl), {
      method,
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    const { status, headers } = response
    return { status, headers, location: headers.get('location') ?? '', text: await response.text() }
  }
}

test('a person signs in with Gatehouse, is shown by name, and signs out', async t => {
  const { service, decide, browser } = await start(t)
  assert.match((await browser('/')).text, /Sign in with Gatehouse/)

  const begun = await browser('/sign-in')
  assert.equal(begun.status, 303)
  const question = new URL(begun.location).searchParams
  assert.equal(question.get('code_challenge_method'), 'S256')
  assert.equal(question.get('scope'), 'openid identify')
  assert.ok(question.get('state') && question.get('nonce') && question.get('code_challenge'))

  const back = await decide(begun.location, 'allow')
  const returned = await browser(back)
  assert.deepEqual([returned.status, returned.location], [303, '/'], returned.text)
  const home = await browser('/')
  assert.match(home.text, /Ana &lt;b&gt;/)
  assert.match(home.text, /signed in as <strong>ana<\/strong>/)
  assert.match(home.text, new RegExp(`<img class="avatar" src="${service.url}/`))

  assert.equal((await browser(back)).status, 400, 'an answer works once')

  assert.equal((await browser('/sign-out', 'POST')).status, 303)
  assert.match((await browser('/')).text, /Sign in with Gatehouse/)
})

test('who does not allow it is told that nothing was shared', async t => {
  const { decide, browser } = await start(t)
  const begun = await browser('/sign-in')
  const returned = await browser(await decide(begun.location, 'deny'))
  assert.equal(returned.status, 400)
  assert.match(returned.text, /You did not allow it/)
})

test('an answer to no question, or to another question, is refused', async t => {
  const { decide, siteUrl, browser } = await start(t)
  const stranger = createBrowser(siteUrl)
  const begun = await browser('/sign-in')
  const back = await decide(begun.location, 'allow')
  const foreign = await stranger(back)
  assert.equal(foreign.status, 400)
  assert.match(foreign.text, /not begun here/)

  const changed = new URL(back)
  changed.searchParams.set('state', 'other')
  const other = await browser(changed.href)
  assert.equal(other.status, 400)
  assert.match(other.text, /another question/)
})

test('an answer of another service is refused', async t => {
  const { decide, browser } = await start(t)
  const begun = await browser('/sign-in')
  const back = new URL(await decide(begun.location, 'allow'))
  back.searchParams.set('iss', 'https://evil.example')
  const answer = await browser(back.href)
  assert.equal(answer.status, 400)
  assert.match(answer.text, /another service/)
})

test('502: the service is away', async t => {
  const { service, siteUrl } = await start(t)
  await service.close()
  const answer = await createBrowser(siteUrl)('/sign-in')
  assert.equal(answer.status, 502)
  assert.match(answer.text, /does not answer/)
})

test('every page holds its browser to files of the site, and has no script in it', async t => {
  const { browser } = await start(t)
  for (const path of ['/', '/browser', '/nothing', '/callback']) {
    const { headers, text } = await browser(path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.doesNotMatch(text, /<script(?![^>]* src=)| style=| on\w+=/)
  }
})

test('200 for the files of the browser form, 404 for the rest', async t => {
  const { browser } = await start(t)
  for (const path of ['/browser', '/browser.js', '/style.css', '/lighthouse.svg', '/settings.json']) {
    assert.equal((await browser(path)).status, 200, path)
  }
  for (const path of ['/server.ts', '/public/browser.js', '/..%2Fserver.ts']) {
    assert.equal((await browser(path)).status, 404, path)
  }
})
