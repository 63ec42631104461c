import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { mailsTo, mailToken } from '@gatehouse/testkit/accounts'
import { createApplication } from '@gatehouse/testkit/applications'
import { register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { startService } from '@gatehouse/testkit/service'
import { confirmDialog, openAs, password, startSite, waitForValue } from './testing.ts'

test('profile: changes names and picture and shows errors at their fields', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  await register(service, 'bob')
  const { page, problems, connected } = await openAs(t, service, ann, '/settings/profile')
  const me = async () => (await ann.client.get('/api/users/@me')).body

  await page.getByLabel('Display name').fill('Ann of the Harbour')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await me()).displayName, 'Ann of the Harbour')

  await page.getByLabel('Username').fill('bob')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('This username is taken.').waitFor()
  assert.equal(await page.getByLabel('Username').getAttribute('aria-invalid'), 'true')
  await page.getByLabel('Username').fill('ann.h')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await me()).username, 'ann.h')

  // A change from another window updates unedited fields and leaves edited fields.
  await connected
  await page.getByLabel('Username').fill('ann.of.the.sea')
  await ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann Elsewhere' })
  await page.locator('input[value="Ann Elsewhere"]').waitFor()
  assert.equal(await page.getByLabel('Username').inputValue(), 'ann.of.the.sea')
  await page.getByLabel('Username').fill('ann.h')
  await ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann of the Harbour' })
  await page.locator('input[value="Ann of the Harbour"]').waitFor()

  const before = (await me()).avatar
  const picture = page.getByLabel('Avatar', { exact: true })
  await picture.setInputFiles({ name: 'ann.png', mimeType: 'image/png', buffer: png })
  await page.locator(`main img:not([src="${before}"])`).waitFor()
  const after = (await me()).avatar
  assert.notEqual(after, before)
  assert.equal(await page.locator('main img').getAttribute('src'), after)
  await page.getByRole('button', { name: 'Remove image' }).click()
  await page.locator(`main img[src="${before}"]`).waitFor()
  await picture.setInputFiles({ name: 'ann.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await page.getByText('This is not a PNG, JPEG, GIF or WebP image, or it is damaged.').waitFor()
  await picture.setInputFiles({
    name: 'ann.png',
    mimeType: 'image/png',
    buffer: Buffer.alloc(1024 * 1024 + 1),
  })
  await page.getByText('The image is larger than 1 MiB.').waitFor()

  await page.keyboard.press('Escape')
  await page.getByText('Ann of the Harbour').first().waitFor()
  assert.deepEqual(problems, [])
})

test('security: changing the email address or the password requires the current password', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
  await page.getByRole('textbox', { name: 'Email' }).fill('harbour@example.org')
  const mail = page.locator('form').filter({ has: page.getByRole('textbox', { name: 'Email' }) })
  await mail.getByLabel('Current password').fill('wrong')
  await mail.getByRole('button', { name: 'Change email' }).click()
  await mail.getByText('The password is wrong.').waitFor()
  await mail.getByLabel('Current password').fill(password)
  await mail.getByRole('button', { name: 'Change email' }).click()
  await mail.getByLabel('Current password').waitFor({ state: 'detached' })
  await mail.getByText('We sent an email to harbour@example.org.').waitFor()
  const address = page.getByRole('textbox', { name: 'Email' })
  assert.equal(await address.inputValue(), 'ann@example.org')
  await mail.getByRole('button', { name: 'Resend verification email' }).click()
  await mail.getByText('Sent. Check your inbox.').waitFor()
  await mailsTo(service, 'ann@example.org', 2)

  const verifyPage = await page.context().newPage()
  const token = await mailToken(service, 'harbour@example.org', 1)
  await verifyPage.goto(`${service.url}/verify-email?token=${token}`)
  await verifyPage.getByText('@ann', { exact: true }).waitFor()
  await verifyPage.getByText('harbour@example.org', { exact: true }).waitFor()
  await verifyPage.getByRole('button', { name: 'Verify email address' }).click()
  await verifyPage.getByText('Your email address is verified.').waitFor()
  await waitForValue(() => address.inputValue(), 'harbour@example.org')
  await mail.getByRole('button', { name: 'Resend verification email' }).waitFor({ state: 'detached' })

  const form = page.locator('form').filter({ has: page.getByLabel('New password') })
  await form.getByLabel('Current password').fill(password)
  await form.getByLabel('New password').fill('a better one')
  await form.getByRole('button', { name: 'Change password' }).click()
  await form.getByText('Saved.').waitFor()
  const login = (text: string) =>
    service.client().json('POST', '/api/auth/login', { login: 'ann', password: text })
  assert.equal((await login(password)).status, 401)
  assert.equal((await login('a better one')).status, 200)
  assert.deepEqual(problems, [])
})

test('security: revoking another session redirects its browser to the sign-in page', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const other = service.client()
  await other.json('POST', '/api/auth/login', { login: 'ann', password }, { 'user-agent': 'Other/1' })
  const second = await openAs(t, service, { client: other })
  await second.page.getByRole('navigation', { name: 'Servers' }).waitFor()
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
  const sessions = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Sessions' }) })
  const rows = sessions.getByRole('listitem')
  await rows.nth(1).waitFor()
  await rows.filter({ hasNotText: 'This browser' }).getByRole('button', { name: 'Sign out' }).click()
  await rows.nth(1).waitFor({ state: 'detached' })
  await second.page.waitForURL(/\/login\?return_to=/)
  assert.equal((await other.get('/api/users/@me')).status, 401)
  assert.equal((await ann.client.get('/api/users/@me')).status, 200)
  assert.deepEqual(problems, [])
})

test('security: signs out everywhere else, with the applications if the user wants', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const other = service.client()
  await other.json('POST', '/api/auth/login', { login: 'ann', password })
  const second = await openAs(t, service, { client: other })
  await second.page.getByRole('navigation', { name: 'Servers' }).waitFor()
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('checkbox', { name: 'Also sign out all authorized applications' }).check()
  const sent = page.waitForRequest(request => request.method() === 'DELETE')
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  assert.deepEqual((await sent).postDataJSON(), { revokeTokens: true })
  await dialog.waitFor({ state: 'detached' })
  await second.page.waitForURL(/\/login\?return_to=/)
  // The page has the new cookie.
  await page.reload()
  const sessions = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Sessions' }) })
  await sessions.getByText('This browser').waitFor()
  assert.equal(await sessions.getByRole('listitem').count(), 1)
  assert.equal((await ann.client.get('/api/users/@me')).status, 401)
  assert.deepEqual(problems, [])
})

test('security: revokes the access of an authorized application', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const redirectUri = `${await startSite(t, 'Signed in')}/callback`
  const { id } = await createApplication(ann.client, { name: 'Lighthouse', redirectUris: [redirectUri] })
  const query = new URLSearchParams({
    client_id: id,
    response_type: 'code',
    scope: 'identify email',
    redirect_uri: redirectUri,
  })
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
  await page.getByText('You have not signed in to any application with this account.').waitFor()
  await page.goto(`${service.url}/oauth2/authorize?${query}`)
  await page.getByRole('button', { name: /allow|authorize|continue/i }).click()
  await page.getByText('Signed in').waitFor()

  await page.goto(`${service.url}/settings/security`)
  const revoke = page.getByRole('button', { name: 'Revoke access' })
  const row = page.getByRole('listitem').filter({ hasText: 'Lighthouse', has: revoke })
  await row.getByText('Email address · Username and avatar').waitFor()
  await revoke.click()
  await confirmDialog(page, 'Revoke access')
  await row.waitFor({ state: 'detached' })
  assert.deepEqual((await ann.client.get('/api/users/@me/authorizations')).body, [])
  assert.deepEqual(problems, [])
})

test('security: the security log shows what happened, with browser and address', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { page, problems } = await openAs(t, service, ann, '/settings/security')
  const log = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Security log' }) })
  await log.getByText('Nothing happened yet.').waitFor()
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/146.0' }
  const body = { login: 'ann', password }
  await service.client().json('POST', '/api/auth/login', body, headers)
  // Ending a session reloads the log.
  await page.reload()
  await page.getByRole('button', { name: 'Sign out: Firefox · Linux' }).click()
  await log.getByText('Session ended').waitFor()
  const entries = await log.getByRole('listitem').allInnerTexts()
  assert.match(entries[0] ?? '', /Session ended.*Chrome.*127\.0\.0\.1/s)
  assert.match(entries[1] ?? '', /Signed in.*Firefox · Linux · 127\.0\.0\.1/s)
  await page.setViewportSize({ width: 390, height: 800 })
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(problems, [])
})

test('appearance: the theme applies at once, to later pages and to the sign-in pages', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { page, problems } = await openAs(t, service, ann, '/settings/appearance')
  const colors = () =>
    page.evaluate(() => [
      getComputedStyle(document.body).color,
      ...Array.from(
        document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'),
        meta => meta.media,
      ),
    ])
  const [light] = await colors()
  const theme = page.getByLabel('Theme')
  assert.equal(await theme.inputValue(), 'system')
  await theme.focus()
  await page.keyboard.type('Dark')
  const dark = await colors()
  assert.notEqual(dark[0], light)
  assert.deepEqual(dark.slice(1), ['not all', 'all'])
  await page.setViewportSize({ width: 390, height: 800 })
  assert.deepEqual(await findViolations(page), [])
  await page.reload()
  await theme.waitFor()
  assert.equal(await theme.inputValue(), 'dark')
  assert.deepEqual(await colors(), dark)
  await page.emulateMedia({ colorScheme: 'dark' })
  await theme.selectOption('light')
  assert.equal((await colors())[0], light)
  await theme.selectOption('system')
  assert.equal((await colors())[0], dark[0])
  await theme.selectOption('light')
  await page.goto(`${service.url}/login`)
  const [login] = await colors()
  await page.emulateMedia({ colorScheme: 'light' })
  assert.equal((await colors())[0], login)
  assert.deepEqual(problems, [])
})
