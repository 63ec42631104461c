import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startSite } from './testing.ts'

async function start(t: TestContext) {
  const world = await startSite(t)
  return { ...world, browser: createBrowser(world.siteUrl) }
}

/** An HTTP client that stores cookies and does not follow redirects. */
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

test('a user signs in with Gatehouse, sees their name, and signs out', async t => {
  const { service, decide, browser } = await start(t)
  assert.match((await browser('/')).text, /Sign in with Gatehouse/)

  const started = await browser('/sign-in')
  assert.equal(started.status, 303)
  const query = new URL(started.location).searchParams
  assert.equal(query.get('code_challenge_method'), 'S256')
  assert.equal(query.get('scope'), 'openid identify')
  assert.ok(query.get('state') && query.get('nonce') && query.get('code_challenge'))

  const back = await decide(started.location, 'allow')
  const returned = await browser(back)
  assert.deepEqual([returned.status, returned.location], [303, '/'], returned.text)
  const page = await browser('/')
  assert.match(page.text, /Ana &lt;b&gt;/)
  assert.match(page.text, /signed in as <strong>ana<\/strong>/)
  assert.match(page.text, new RegExp(`<img class="avatar" src="${service.url}/`))

  assert.equal((await browser(back)).status, 400, 'an authorization response is accepted once')

  assert.equal((await browser('/sign-out', 'POST')).status, 303)
  assert.match((await browser('/')).text, /Sign in with Gatehouse/)
})

test('shows that nothing was shared if the user denies consent', async t => {
  const { decide, browser } = await start(t)
  const started = await browser('/sign-in')
  const returned = await browser(await decide(started.location, 'deny'))
  assert.equal(returned.status, 400)
  assert.match(returned.text, /You did not allow the sign-in/)
})

test('rejects a callback of another browser or with another state', async t => {
  const { decide, siteUrl, browser } = await start(t)
  const otherBrowser = createBrowser(siteUrl)
  const started = await browser('/sign-in')
  const back = await decide(started.location, 'allow')
  const inOtherBrowser = await otherBrowser(back)
  assert.equal(inOtherBrowser.status, 400)
  assert.match(inOtherBrowser.text, /started in another browser/)

  const changed = new URL(back)
  changed.searchParams.set('state', 'other')
  const other = await browser(changed.href)
  assert.equal(other.status, 400)
  assert.match(other.text, /The state does not match/)
})

test('rejects a callback of another issuer', async t => {
  const { decide, browser } = await start(t)
  const started = await browser('/sign-in')
  const back = new URL(await decide(started.location, 'allow'))
  back.searchParams.set('iss', 'https://evil.example')
  const response = await browser(back.href)
  assert.equal(response.status, 400)
  assert.match(response.text, /another issuer/)
})

test('returns 502 if the service is unreachable', async t => {
  const { service, siteUrl } = await start(t)
  await service.close()
  const response = await createBrowser(siteUrl)('/sign-in')
  assert.equal(response.status, 502)
  assert.match(response.text, /is unavailable/)
})

test('every page has a Content-Security-Policy and no inline script', async t => {
  const { browser } = await start(t)
  for (const path of ['/', '/browser', '/nothing', '/callback']) {
    const { headers, text } = await browser(path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.doesNotMatch(text, /<script(?![^>]* src=)| style=| on\w+=/)
  }
})

test('returns 200 for the files of the browser-only sign-in and 404 for other paths', async t => {
  const { browser } = await start(t)
  for (const path of ['/browser', '/browser.js', '/style.css', '/lighthouse.svg', '/settings.json']) {
    assert.equal((await browser(path)).status, 200, path)
  }
  for (const path of ['/server.ts', '/public/browser.js', '/..%2Fserver.ts']) {
    assert.equal((await browser(path)).status, 404, path)
  }
})
