import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from '../../../../../tools/browser.ts'
import { type Client, startService, type TestService } from '../../testing.ts'
import { password, register } from '../users/testing.ts'
import { addApp, codeOf, factorsPath } from './testing.ts'

async function launch(t: TestContext, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return (await launchBrowser(t)).newContext(options)
}

/** An authenticator within the browser that checks its person and says yes at once. */
async function withAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** The browser's own session, for requests of its settings. */
async function sessionOf(context: BrowserContext, service: TestService): Promise<Client> {
  const client = service.client()
  for (const { name, value } of await context.cookies()) client.cookies.set(name, value)
  return client
}

/** What the settings of the web client do to add a passkey. */
async function addPasskeyIn(page: Page, client: Client): Promise<void> {
  const options = await client.json('POST', `${factorsPath}/passkeys/options`)
  assert.equal(options.status, 200, options.text)
  const response = await page.evaluate(
    `navigator.credentials
      .create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${options.text}) })
      .then(credential => credential.toJSON())`,
  )
  const added = await client.json('POST', `${factorsPath}/passkeys`, { response, name: 'This browser' })
  assert.equal(added.status, 201, added.text)
}

async function enterPassword(page: Page, login: string): Promise<void> {
  await page.getByLabel('Username or mail address').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function usernameIn(context: BrowserContext, service: TestService): Promise<string | undefined> {
  return (await (await sessionOf(context, service)).get('/api/users/@me')).body.username
}

/** Watches for what the page's policy forbids, and for errors of its script. */
function faultsOn(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => {
    if (/Content.Security.Policy|Refused to/i.test(message.text())) faults.push(message.text())
  })
  return faults
}

test('a browser signs in with a passkey after the password, and with the passkey alone', async t => {
  const service = await startService(t)
  const context = await launch(t)
  const page = await context.newPage()
  const faults = faultsOn(page)
  await withAuthenticator(page)
  await register(service.client(), 'ada')
  await page.goto(`${service.url}/login`)
  await enterPassword(page, 'ada')
  await page.waitForURL(`${service.url}/`)
  await page.goto(`${service.url}/login`)
  await addPasskeyIn(page, await sessionOf(context, service))

  await context.clearCookies()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  await enterPassword(page, 'ada')
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
  assert.equal(await usernameIn(context, service), undefined)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`${service.url}/logout`)
  assert.equal(await usernameIn(context, service), 'ada')

  await context.clearCookies()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${service.url}/logout`)
  assert.equal(await usernameIn(context, service), 'ada')
  assert.deepEqual(faults, [])
})

test('a browser without script signs in with a code, and is offered no passkey that could not work', async t => {
  const service = await startService(t)
  const owner = service.client()
  await register(owner, 'ada')
  const { secret, recoveryCodes } = await addApp(service, owner)
  service.clock.advance(60_000)
  const context = await launch(t, { javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
  await enterPassword(page, 'ada')
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').getByText('The code is wrong').waitFor()
  await page.getByLabel('Code').fill(await codeOf(service, secret))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${service.url}/logout`)
  await page.getByText('Sign out of this browser?').waitFor()

  await context.clearCookies()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  await enterPassword(page, 'ada')
  await page.getByRole('link', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${service.url}/logout`)
})

test('a person who does not choose a passkey is told what to do, and can go on otherwise', async t => {
  const service = await startService(t)
  const context = await launch(t)
  const page = await context.newPage()
  const faults = faultsOn(page)
  await register(service.client(), 'ada')
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  // What a browser answers where the person closes its window.
  await page.evaluate(
    `navigator.credentials.get = () => Promise.reject(new DOMException('closed', 'NotAllowedError'))`,
  )
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('No passkey was chosen').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled(), true)
  await enterPassword(page, 'ada')
  await page.waitForURL(`${service.url}/logout`)
  assert.deepEqual(faults, [])
})
