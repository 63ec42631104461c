import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode, verifyEmail } from '@gatehouse/testkit/accounts'
import { register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { confirmDialog, openAs } from './testing.ts'

const minute = 60_000

async function readRecoveryCodes(page: Page): Promise<string[]> {
  const box = page.getByRole('status').filter({ hasText: 'Recovery codes' })
  await box.waitFor()
  const codes = await box.getByRole('listitem').allInnerTexts()
  assert.equal(codes.length, 10)
  await box.getByRole('button', { name: 'I have saved them' }).click()
  await box.waitFor({ state: 'detached' })
  return codes
}

test('sets up an authenticator app, replaces its recovery codes and removes it with a code', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const factors = async () => (await ann.client.get('/api/users/@me/second-factors')).body
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
  const panel = page.locator('section', {
    has: page.getByRole('heading', { name: 'Two-factor authentication' }),
  })
  await panel.getByText('Verify your email address first.').waitFor()
  await panel.getByRole('button', { name: 'Resend verification email' }).click()
  await panel.getByText('Sent. Check your inbox.').waitFor()
  assert.equal(await panel.getByRole('button').count(), 1)
  // The gateway reports the verification to the open page.
  await verifyEmail(service, ann.client)
  await page.getByRole('button', { name: 'Set up an app' }).click()
  const qrCode = page.getByRole('img', { name: 'QR code for the authenticator app' })
  await qrCode.waitFor()
  await qrCode.evaluate((image: HTMLImageElement) => image.decode())
  const secret = await page.getByLabel('Key', { exact: true }).inputValue()
  await page.getByLabel('Code from the app').fill('000000')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('The code is wrong or was already used.').waitFor()
  await page.getByLabel('Code from the app').fill(await totpCode(service, secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  const first = await readRecoveryCodes(page)
  await page.getByText('10 codes left. Each code works once.').waitFor()
  assert.equal((await factors()).totp, true)

  // More than ten minutes after the sign-in, changes require the second factor.
  service.clock.advance(11 * minute)
  await page.getByRole('button', { name: 'Generate new codes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' })
  const codeField = dialog.getByLabel('Code from the app or recovery code')
  await codeField.fill('000000')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('The code is wrong or was already used.').waitFor()
  // Escape during the request does not lose the new codes.
  const { promise: closing, resolve: sendRequest } = Promise.withResolvers<void>()
  await page.route('**/api/users/@me/second-factors/**', async route => {
    await closing
    await route.continue()
  })
  await codeField.fill(first[0] ?? '')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.keyboard.press('Escape')
  assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), true)
  sendRequest()
  assert.notDeepEqual(await readRecoveryCodes(page), first)

  await page.getByRole('button', { name: 'Remove app' }).click()
  await confirmDialog(page, 'Remove')
  await codeField.fill(await totpCode(service, secret))
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Set up an app' }).waitFor()
  assert.deepEqual(await factors(), { passkeys: [], totp: false, recoveryCodesLeft: 0 })
  assert.deepEqual(problems, [])
})

test('registers, names and removes a passkey', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  await verifyEmail(service, ann.client)
  const factors = async () => (await ann.client.get('/api/users/@me/second-factors')).body
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
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
  await readRecoveryCodes(page)
  const row = page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem')
  await row.filter({ hasText: 'My laptop' }).waitFor()
  assert.deepEqual(
    (await factors()).passkeys.map(({ name }: { name: string }) => name),
    ['My laptop'],
  )
  await add('Again')
  await page.getByText('This device already has a passkey for your account.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  service.clock.advance(11 * minute)
  await row.getByRole('button', { name: 'Remove: My laptop' }).click()
  await confirmDialog(page, 'Remove')
  const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' })
  await dialog.getByLabel('Recovery code').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await factors()).passkeys.length, 1, 'cancelled')
  await row.getByRole('button', { name: 'Remove: My laptop' }).click()
  await confirmDialog(page, 'Remove')
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal((await factors()).passkeys.length, 0)
  assert.deepEqual(problems, [])
})

test('asks for the second factor before a new email or password (sign-in/credential-change-proof)', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  await verifyEmail(service, ann.client)
  const path = '/api/users/@me/second-factors/totp'
  const { secret } = (await ann.client.json('POST', path)).body
  const code = await totpCode(service, secret)
  const { recoveryCodes } = (await ann.client.json('POST', `${path}/confirm`, { code })).body
  service.clock.advance(11 * minute)
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
  const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' })
  const codeField = dialog.getByLabel('Code from the app or recovery code')
  const emailForm = page.locator('form', { has: page.getByRole('button', { name: 'Change email' }) })
  await page.getByLabel('Email', { exact: true }).fill('new@example.org')
  // A wrong password is shown at its field, without the dialog.
  await emailForm.getByLabel('Current password').fill('wrong horse')
  await page.getByRole('button', { name: 'Change email' }).click()
  await emailForm.getByText('The password is wrong.').waitFor()
  assert.equal(await dialog.count(), 0)
  await emailForm.getByLabel('Current password').fill(ann.password)
  await page.getByRole('button', { name: 'Change email' }).click()
  await codeField.fill('000000')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('The code is wrong or was already used.').waitFor()
  await codeField.fill(await totpCode(service, secret))
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('We sent an email to new@example.org.').waitFor()

  const passwordForm = page.locator('form', { has: page.getByLabel('New password') })
  await passwordForm.getByLabel('Current password').fill(ann.password)
  await passwordForm.getByLabel('New password').fill('another horse battery')
  await page.getByRole('button', { name: 'Change password' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Change password' }).click()
  await codeField.fill(recoveryCodes[0] ?? '')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.waitFor({ state: 'detached' })
  await passwordForm.getByText('Saved.').waitFor()
  const login = { login: 'ann', password: 'another horse battery' }
  const reply = await service.client().json('POST', '/api/auth/login', login)
  assert.equal(reply.body.code, 'second_factor_required')
  assert.deepEqual(problems, [])
})
