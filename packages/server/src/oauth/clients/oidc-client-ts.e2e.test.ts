import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { launchBrowser } from '@gatehouse/testkit/browser'
import { listenHttp } from '@gatehouse/testkit/listen'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { makeApplication, signUp, type TestApplication } from '../oauth-testing.ts'

const library = new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts'))

/** A page without a backend. It configures the library with only the issuer and the client id. */
function pageOf(authority: string, clientId: string): string {
  const settings = JSON.stringify({ authority, client_id: clientId })
  return `<!doctype html><title>A site</title><script src="/oidc-client-ts.js"></script>
<button id="in">Sign in</button><button id="renew">Renew</button><button id="out">Sign out</button><output></output>
<script type="module">
const manager = new oidc.UserManager({
  ...${settings},
  redirect_uri: location.origin + '/callback',
  post_logout_redirect_uri: location.origin + '/bye',
  scope: 'openid profile email offline_access',
  loadUserInfo: true,
  automaticSilentRenew: false,
})
const show = value => { document.querySelector('output').textContent = JSON.stringify(value) }
const fail = error => show({ error: String(error) })
const on = (id, act) => document.getElementById(id).addEventListener('click', () => act().catch(fail))
const seen = user => show(user && {
  profile: user.profile,
  access: user.access_token,
  refresh: user.refresh_token,
  expires: user.expires_in,
})
on('in', () => manager.signinRedirect())
on('renew', async () => seen(await manager.signinSilent()))
on('out', () => manager.signoutRedirect())
if (location.pathname === '/callback') {
  await manager.signinRedirectCallback().then(seen, error => show({ error: error.error ?? String(error) }))
  history.replaceState(null, '', '/')
} else if (location.pathname === '/bye') {
  await manager.signoutRedirectCallback()
  show({ left: await manager.getUser() })
} else seen(await manager.getUser())
</script>`
}

async function openBrowser(t: TestContext): Promise<{ page: Page; pageErrors: string[] }> {
  const browser = await launchBrowser(t)
  const page = await browser.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', error => pageErrors.push(error.message))
  return { page, pageErrors }
}

async function startSite(t: TestContext, service: TestService) {
  // The library uses the system clock.
  service.clock.advance(Date.now() - service.clock.now())
  const ada = await signUp(service, 'ada')
  let app: TestApplication | undefined
  const { port } = await listenHttp(t, (request, response) => {
    const script = request.url === '/oidc-client-ts.js'
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html')
    response.end(script ? readFileSync(library) : pageOf(service.url, app?.id ?? ''))
  })
  const url = `http://localhost:${port}`
  app = await makeApplication(ada, {
    type: 'public',
    redirectUris: [`${url}/callback`],
    postLogoutRedirectUris: [`${url}/bye`],
  })
  return { ada, site: { url } }
}

async function readOutput(page: Page): Promise<ReturnType<typeof JSON.parse>> {
  await page.waitForFunction("document.querySelector('output')?.textContent !== ''")
  return JSON.parse((await page.locator('output').textContent()) ?? '')
}

async function signIn(page: Page, password: string, decision: 'allow' | 'deny'): Promise<void> {
  await page.locator('#in').click()
  await page.locator('input[name=login]').fill('ada')
  await page.locator('input[name=password]').fill(password)
  await page.locator('input[name=password]').press('Enter')
  await page.locator(`button[value=${decision}]`).click()
}

eachService('oidc-client-ts: sign-in, silent renewal and logout', async (t, service) => {
  const { ada, site } = await startSite(t, service)
  const { page, pageErrors } = await openBrowser(t)
  await page.goto(site.url)
  await signIn(page, ada.password, 'allow')
  await page.waitForURL(`${site.url}/`)
  const first = await readOutput(page)
  assert.equal(first.profile?.sub, ada.id, JSON.stringify(first))
  assert.equal(first.profile.preferred_username, 'ada')
  assert.equal(first.profile.email, ada.email)
  assert.ok(first.expires > 604_000 && first.expires <= 604_800)

  await page.locator('#renew').click()
  await page.waitForFunction(access => {
    const text = document.querySelector('output')?.textContent ?? '{}'
    return JSON.parse(text).access !== access
  }, first.access)
  const second = await readOutput(page)
  assert.equal(second.profile?.sub, ada.id, JSON.stringify(second))
  assert.match(second.access, /^gat_/)
  assert.notEqual(second.refresh, first.refresh)

  await page.locator('#out').click()
  await page.waitForURL(url => url.pathname === '/bye')
  assert.deepEqual(await readOutput(page), { left: null })
  await page.goto(`${service.url}/oauth2/logout`)
  await page.getByText('You are signed out').waitFor()
  assert.deepEqual(pageErrors, [])
})

eachService('oidc-client-ts: access_denied', async (t, service) => {
  const { ada, site } = await startSite(t, service)
  const { page } = await openBrowser(t)
  await page.goto(site.url)
  await signIn(page, ada.password, 'deny')
  await page.waitForURL(`${site.url}/`)
  assert.deepEqual(await readOutput(page), { error: 'access_denied' })
})
