import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorld, use } from '../../server/src/interactions/testing.ts'
import { register } from '../../server/src/platform/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { confirmIn, launch, makeApplication, openAs, png } from './testing.ts'

test('an application is made, its secret reset, its redirect URIs kept, and it is deleted', async t => {
  const service = await startService(t)
  const browser = await launch(t)
  const ann = await register(service, 'ann')
  const { page, problems } = await openAs(browser, service, ann, '/developers')
  await page.getByText('No applications yet').waitFor()
  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByLabel('Name').fill('Lighthouse')
  await page.getByRole('button', { name: 'Create' }).click()
  const secret = await page.getByLabel('Client secret').inputValue()
  assert.match(secret, /^gcs_/)
  await page.getByRole('link', { name: /^Lighthouse/ }).click()
  await page.getByText('The secret was shown once, when it was made.').waitFor()
  assert.equal(await page.getByText(secret).count(), 0)

  await page.getByLabel('Description').fill('Shines')
  await page.getByRole('button', { name: 'Save changes' }).first().click()
  await page.getByText('Saved.').waitFor()
  await page.getByLabel('Icon').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: png })
  await page.locator('main img').waitFor()

  await page.getByRole('button', { name: 'Reset secret' }).click()
  await confirmIn(page, 'Reset secret')
  const next = await page.getByLabel('Client secret').inputValue()
  assert.match(next, /^gcs_/)
  assert.notEqual(next, secret)

  const save = page
    .locator('form')
    .filter({ has: page.getByRole('button', { name: 'Add a redirect URI' }) })
    .getByRole('button', { name: 'Save changes' })
  await page.getByRole('button', { name: 'Add a redirect URI' }).click()
  await page.getByLabel('Redirect URI 1', { exact: true }).fill('https://lighthouse.example/callback')
  await page.getByRole('button', { name: 'Add a redirect URI' }).click()
  const second = page.getByLabel('Redirect URI 2', { exact: true })
  await second.fill('javascript:alert(1)')
  await save.click()
  await page.getByText('This is not an address that can be used here.').waitFor()
  assert.equal(await second.getAttribute('aria-invalid'), 'true')
  await page.getByRole('button', { name: 'Remove: Redirect URI 2' }).click()
  await save.click()
  await page.getByText('Saved.').last().waitFor()
  const [application] = (await ann.client.get('/api/applications')).body
  assert.deepEqual(application.redirectUris, ['https://lighthouse.example/callback'])
  assert.equal(application.description, 'Shines')
  assert.match(application.icon, /^\/images\//)

  await page.getByRole('button', { name: 'Delete application' }).click()
  await confirmIn(page, 'Delete application')
  await page.getByText('No applications yet').waitFor()
  assert.deepEqual((await ann.client.get('/api/applications')).body, [])
  assert.deepEqual(problems, [])
})

test('a bot is made, its token reset, its install link made, its endpoint refused', async t => {
  const service = await startService(t)
  const browser = await launch(t)
  const ann = await register(service, 'ann')
  const { id } = await makeApplication(ann, 'Dice')
  const { page, problems } = await openAs(browser, service, ann, `/developers/${id}/bot`)
  await page.getByLabel('Username of the bot').fill('dice_bot')
  await page.getByRole('button', { name: 'Create the bot' }).click()
  const token = page.getByLabel('Bot token')
  const first = await token.inputValue()
  assert.match(first, /^gbt_/)
  const me = (text: string) => service.client().get('/api/users/@me', { authorization: `Bot ${text}` })
  assert.equal((await me(first)).status, 200)
  await page.getByRole('button', { name: 'Reset token' }).click()
  await confirmIn(page, 'Reset token')
  const second = await token.inputValue()
  assert.notEqual(second, first)
  assert.equal((await me(first)).status, 401)
  assert.equal((await me(second)).status, 200)

  await page.getByLabel('Manage messages').check()
  const link = new URL(await page.getByLabel('Install link').inputValue())
  assert.equal(link.searchParams.get('scope'), 'bot applications.commands')
  assert.equal(BigInt(link.searchParams.get('permissions') ?? 0) & (1n << 13n), 1n << 13n)

  await page.getByRole('textbox', { name: 'Interactions endpoint' }).fill('https://127.0.0.1:1/')
  await page.getByRole('button', { name: 'Save changes' }).click()
  const field = page.getByRole('textbox', { name: 'Interactions endpoint' })
  await page.locator('[aria-invalid="true"]').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  await page.reload()
  await page.getByRole('button', { name: 'Reset token' }).waitFor()
  assert.equal(await page.getByLabel('Bot token').count(), 0, 'a token is shown once')
  assert.deepEqual(problems, [])
})

test('the log says what was sent and why nothing came back', async t => {
  const service = await startService(t)
  const browser = await launch(t)
  const world = await makeWorld(service)
  const { applicationId } = world.bot
  const { page, problems } = await openAs(
    browser,
    service,
    world.owner,
    `/developers/${applicationId}/interactions`,
  )
  await page.getByText('No interaction yet.').waitFor()
  const used = await use(world, 'ping')
  assert.equal(used.body.state, 'failed', 'the bot is not connected')
  await page.reload()
  const entry = page.getByRole('listitem').filter({ hasText: '/ping' })
  await entry.getByText('Failed').waitFor()
  await entry.getByText('The bot is not connected.').waitFor()
  await entry.getByText('Event', { exact: true }).click()
  await entry.getByText(`"applicationId": "${applicationId}"`).waitFor()
  assert.deepEqual(problems, [])
})
