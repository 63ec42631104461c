import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../tools/browser.ts'
import { codeOf } from '../../server/src/platform/second-factor/testing.ts'
import { register } from '../../server/src/platform/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { confirmIn, openAs, password } from './testing.ts'

const minute = 60_000

async function keepCodes(page: Page): Promise<string[]> {
  const box = page.getByRole('status').filter({ hasText: 'Recovery codes' })
  await box.waitFor()
  const codes = await box.getByRole('listitem').allInnerTexts()
  assert.equal(codes.length, 10)
  await box.getByRole('button', { name: 'I have kept them' }).click()
  await box.waitFor({ state: 'detached' })
  return codes
}

test('an authenticator app is set up, its codes renewed, and removed with the password', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const factors = async () => (await ann.client.get('/api/users/@me/second-factors')).body
  const { page, problems } = await openAs(browser, service, ann, '/settings/security')
  await page.getByRole('button', { name: 'Set up an app' }).click()
  const picture = page.getByRole('img', { name: 'QR code for the authenticator app' })
  await picture.waitFor()
  assert.ok(await picture.evaluate(image => image instanceof HTMLImageElement && image.naturalWidth > 0))
  const secret = await page.getByLabel('Key', { exact: true }).inputValue()
  await page.getByLabel('Code from the app').fill('000000')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('The code is wrong, or it has been used.').waitFor()
  await page.getByLabel('Code from the app').fill(await codeOf(service, secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  const first = await keepCodes(page)
  await page.getByText('10 left. Each opens one sign-in.').waitFor()
  assert.equal((await factors()).totp, true)

  // Ten minutes after the sign-in, the password is asked for again.
  service.clock.advance(11 * minute)
  await page.getByRole('button', { name: 'New codes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Is it you?' })
  await dialog.getByLabel('Current password').fill('wrong')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('The password is wrong.').waitFor()
  await dialog.getByLabel('Current password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  assert.notDeepEqual(await keepCodes(page), first)

  await page.getByRole('button', { name: 'Remove app' }).click()
  await confirmIn(page, 'Remove')
  await dialog.getByLabel('Current password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Set up an app' }).waitFor()
  assert.deepEqual(await factors(), { passkeys: [], totp: false, recoveryCodesLeft: 0 })
  assert.deepEqual(problems, [])
})

test('a passkey is made by the device, named, and removed', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const factors = async () => (await ann.client.get('/api/users/@me/second-factors')).body
  const { page, problems } = await openAs(browser, service, ann, '/settings/security')
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const add = async (name: string) => {
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name of the passkey').fill(name)
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  await add('My laptop')
  await keepCodes(page)
  const row = page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem')
  await row.filter({ hasText: 'My laptop' }).waitFor()
  assert.deepEqual(
    (await factors()).passkeys.map(({ name }: { name: string }) => name),
    ['My laptop'],
  )
  await add('Again')
  await page.getByText('This device has a passkey for your account already.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  service.clock.advance(11 * minute)
  await row.getByRole('button', { name: 'Remove: My laptop' }).click()
  await confirmIn(page, 'Remove')
  const dialog = page.getByRole('dialog', { name: 'Is it you?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await factors()).passkeys.length, 1, 'withdrawn')
  await row.getByRole('button', { name: 'Remove: My laptop' }).click()
  await confirmIn(page, 'Remove')
  await dialog.getByLabel('Current password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal((await factors()).passkeys.length, 0)
  assert.deepEqual(problems, [])
})
