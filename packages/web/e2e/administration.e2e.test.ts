import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createOperator } from '@gatehouse/testkit/administration'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { named, openAs, waitForValue } from './testing.ts'

test('an administrator finds a user with the keyboard, disables and enables them with the password', async t => {
  const service = await startService(t)
  const operator = await createOperator(service)
  const [ada, ben] = [await register(service, 'ada'), await register(service, 'ben')]
  await createServer(ada, ben)
  const { page, problems } = await openAs(t, service, operator, '/')
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Administration' }).click()
  await page.getByText('ben@example.org').waitFor()
  await page.getByLabel('Find users').fill('ADA')
  await page.keyboard.press('Enter')
  await page.getByText('ben@example.org').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Details: ada' }).press('Enter')
  await page.getByText('not confirmed').waitFor()

  service.clock.advance(600_000)
  await page.getByRole('button', { name: 'Disable' }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).press('Enter')
  await page.getByRole('textbox', { name: 'Current password' }).fill(operator.password)
  await page.keyboard.press('Enter')
  await page.getByText('Disabled since').waitFor()
  assert.equal((await ada.client.get('/api/users/@me')).status, 401)
  await page.getByRole('button', { name: 'Enable' }).press('Enter')
  await page.getByRole('alertdialog').getByLabel('Reason').fill('apology')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Current password' }).fill(operator.password)
  await page.keyboard.press('Enter')
  await page.getByText('Disabled since').waitFor({ state: 'detached' })
  assert.equal((await ada.client.get('/api/users/@me')).status, 200)
  await page.getByRole('button', { name: 'Confirm the email address' }).press('Enter')
  await page.getByRole('alertdialog').getByLabel('Reason').press('Enter')
  await page.getByRole('textbox', { name: 'Current password' }).fill(operator.password)
  await page.keyboard.press('Enter')
  await page.getByText('not confirmed').waitFor({ state: 'detached' })
  const acts = await service.db.all`SELECT action, reason FROM audit_log WHERE server_id = '' ORDER BY id`
  assert.deepEqual(acts, [
    { action: 'USER_DISABLE', reason: null },
    { action: 'USER_ENABLE', reason: 'apology' },
    { action: 'USER_EMAIL_CONFIRM', reason: null },
  ])
  assert.deepEqual(problems, [])
})

test('an administrator names the community and decides who creates servers; the audit log shows it', async t => {
  const service = await startService(t)
  const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
  const { page, problems } = await openAs(t, service, operator, '/administration/settings')
  await page.getByRole('textbox', { name: 'Name of the community' }).fill('Garden <b>club')
  await page.getByLabel('Who can register').selectOption('Nobody')
  await page.getByLabel('Who can create servers').selectOption('Only administrators')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByText('Saved').waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText(`${named('operator')} changed the settings.`).waitFor()
  await page.getByText('Garden <b>club').first().waitFor()
  await page.reload()
  await waitForValue(() => page.title(), 'Audit log · Garden <b>club')
  assert.deepEqual(problems, [])

  const other = await openAs(t, service, ada, '/')
  await other.page.getByRole('button', { name: 'Add a server' }).first().click()
  await other.page.getByRole('dialog', { name: 'Join with an invite' }).waitFor()
  assert.equal(await other.page.getByLabel('Server name').count(), 0)
})

test('an administrator disables, enables and transfers a server and an application with the keyboard', async t => {
  const service = await startService(t)
  const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
  await register(service, 'ben')
  const { server } = await createServer(ada)
  const { page, problems } = await openAs(t, service, operator, '/administration/servers')
  const confirm = (name: string) => page.getByRole('alertdialog').getByRole('button', { name }).press('Enter')
  await page.getByRole('button', { name: 'Disable: Server' }).press('Enter')
  await confirm('Disable')
  await page.getByText('Disabled', { exact: true }).waitFor()
  assert.equal((await ada.client.get(`/api/servers/${server.id}`)).status, 404)
  await page.getByRole('button', { name: 'Enable: Server' }).press('Enter')
  await confirm('Enable')
  await page.getByRole('button', { name: 'Transfer: Server' }).press('Enter')
  await page.getByLabel('New owner').fill('ben')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: named('ben'), exact: true }).waitFor()
  assert.equal((await ada.client.get(`/api/servers/${server.id}`)).status, 200)
  const { id } = await ada.client.call('createApplication', { body: { name: 'Dice', type: 'public' } })
  await page.getByRole('link', { name: 'Applications' }).press('Enter')
  await page.getByRole('button', { name: 'Transfer: Dice' }).press('Enter')
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.type('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('No user was found.').waitFor()
  await page.getByLabel('New owner').fill('ben')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: named('ben'), exact: true }).waitFor()
  assert.equal((await ada.client.get(`/api/applications/${id}`)).status, 404)
  await page.getByRole('link', { name: 'Audit log' }).press('Enter')
  await page.getByText('Owner: ada → ben').first().waitFor()
  assert.deepEqual(problems, [])
})

test('another user has no entry and no page', async t => {
  const service = await startService(t)
  const { page } = await openAs(t, service, await register(service, 'ada'), '/')
  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Developer console' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Administration' }).count(), 0)
  await page.goto(`${service.url}/administration`)
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
})

for (const [locale, details] of [
  ['en', 'Details'],
  ['ru', 'Подробнее'],
] as const) {
  for (const width of [390, 1280]) {
    test(`axe finds nothing on the pages, and they fit into ${width} px, light and dark (${locale})`, async t => {
      const service = await startService(t)
      const operator = await createOperator(service)
      const ada = await register(service, 'ada')
      await createServer(ada)
      await service.db.run`UPDATE users SET disabled_at = 1 WHERE id = ${ada.id}`
      operator.client.cookies.set('gatehouse_locale', locale)
      const { page } = await openAs(t, service, operator, '/administration', {
        viewport: { width, height: 800 },
        reducedMotion: 'reduce',
      })
      const check = async () => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await findViolations(page), [])
        }
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
      }
      await page.getByRole('link', { name: `${details}: ada` }).waitFor()
      await check()
      await page.getByRole('link', { name: `${details}: ada` }).click()
      await page.getByText(ada.email).waitFor()
      await check()
      for (const section of ['settings', 'audit-log', 'servers', 'applications']) {
        await page.goto(`${service.url}/administration/${section}`)
        await page
          .getByRole(section.endsWith('s') ? 'button' : 'combobox')
          .nth(1)
          .waitFor()
        await check()
        if (process.env.GH_PICTURES)
          await page.screenshot({ path: `${process.env.GH_PICTURES}/${section}-${locale}-${width}.png` })
      }
    })
  }
}

test('an administrator sees the health of the instance and sends a test mail with the keyboard', async t => {
  const service = await startService(t)
  const operator = await createOperator(service)
  const { page, problems } = await openAs(t, service, operator, '/administration/health')
  // The clock of the test stands still.
  await page.getByText('The clocks of the service and the database differ.').waitFor()
  await page.getByText('Node 0: last seen').waitFor()
  await page.getByText('None is recorded.').waitFor()
  service.mails.splice(0)
  await page.getByRole('button', { name: 'Send a test mail' }).press('Enter')
  await page.getByRole('status').getByText('Written as a file.').waitFor()
  assert.deepEqual(
    service.mails.map(({ to }) => to),
    ['operator@example.org'],
  )
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    assert.deepEqual(await findViolations(page), [])
  }
  assert.deepEqual(problems, [])
})
