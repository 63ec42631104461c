import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { launchBrowser } from '@gatehouse/testkit/browser'
import { startService, type TestClient, type TestService } from '@gatehouse/testkit/service'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { password, register, verifyEmail } from '../users/users-testing.ts'
import { addTotp, factorsPath, totpCode } from './second-factor-testing.ts'

async function launch(t: TestContext, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return (await launchBrowser(t)).newContext(options)
}

/** A virtual authenticator that verifies the user and approves every request. */
async function addVirtualAuthenticator(page: Page): Promise<void> {
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

/** A client with the cookies of the browser. */
async function clientWithCookies(context: BrowserContext, service: TestService): Promise<TestClient> {
  const client = service.client()
  for (const { name, value } of await context.cookies()) client.cookies.set(name, value)
  return client
}

/** Adds a passkey as the web client does. */
async function addPasskeyIn(service: TestService, page: Page, client: TestClient): Promise<void> {
  await verifyEmail(service, client)
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
  await page.getByLabel('Username or email address').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function usernameIn(context: BrowserContext, service: TestService): Promise<string | undefined> {
  return (await (await clientWithCookies(context, service)).get('/api/users/@me')).body.username
}

/** Collects script errors and violations of the content security policy. */
function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (/Content.Security.Policy|Refused to/i.test(message.text())) errors.push(message.text())
  })
  return errors
}

test('signs in with a passkey after the password, and with a passkey alone', async t => {
  const service = await startService(t)
  const context = await launch(t)
  const page = await context.newPage()
  const errors = collectErrors(page)
  await addVirtualAuthenticator(page)
  await register(service.client(), 'ada')
  await page.goto(`${service.url}/login`)
  await enterPassword(page, 'ada')
  await page.waitForURL(`${service.url}/`)
  await page.goto(`${service.url}/login`)
  await addPasskeyIn(service, page, await clientWithCookies(context, service))

  await context.clearCookies()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  await enterPassword(page, 'ada')
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
  assert.equal(await usernameIn(context, service), undefined)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`${service.url}/logout`)
  assert.equal(await usernameIn(context, service), 'ada')

  await context.clearCookies()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${service.url}/logout`)
  assert.equal(await usernameIn(context, service), 'ada')
  assert.deepEqual(errors, [])
})

test('signs in with a code without JavaScript and shows no passkey button', async t => {
  const service = await startService(t)
  const owner = service.client()
  await register(owner, 'ada')
  const { secret, recoveryCodes } = await addTotp(service, owner)
  service.clock.advance(60_000)
  const context = await launch(t, { javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
  await enterPassword(page, 'ada')
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').getByText('The code is wrong').waitFor()
  await page.getByLabel('Code').fill(await totpCode(service, secret))
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

test('shows an error if the user cancels the passkey dialog, and still accepts the password', async t => {
  const service = await startService(t)
  const context = await launch(t)
  const page = await context.newPage()
  const errors = collectErrors(page)
  await register(service.client(), 'ada')
  await page.goto(`${service.url}/login?return_to=%2Flogout`)
  // The error of a browser when the user closes its passkey dialog.
  await page.evaluate(
    `navigator.credentials.get = () => Promise.reject(new DOMException('closed', 'NotAllowedError'))`,
  )
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('No passkey was selected').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled(), true)
  await enterPassword(page, 'ada')
  await page.waitForURL(`${service.url}/logout`)
  assert.deepEqual(errors, [])
})
