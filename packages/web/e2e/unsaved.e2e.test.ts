import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { openAs, waitForValue } from './testing.ts'

/** Opens a channel as a user with settings of each kind. */
async function openWithSettings(t: TestContext) {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const app = await createApplication(ann.client, { name: 'Dice' })
  const channel = `/channels/${server.id}/${general.id}`
  const forms = {
    user: { path: '/settings/profile', field: 'Display name' },
    server: { path: `/channels/${server.id}/settings/overview`, field: 'Server name' },
    channel: { path: `${channel}/settings/overview`, field: 'Topic' },
    console: { path: `/developers/${app.id}/general`, field: 'Description' },
  }
  const { page, problems } = await openAs(t, service, ann, channel)
  await page.getByLabel('Messages in general').waitFor()
  return { url: service.url, page, problems, channel, server, forms }
}

const confirmation = (page: Page) => page.getByRole('alertdialog', { name: 'Discard changes?' })
const choose = (page: Page, name: string) => confirmation(page).getByRole('button', { name }).click()

test('Escape and the close button ask for confirmation before they discard changes, in all settings', async t => {
  const { url, page, problems, forms } = await openWithSettings(t)
  for (const { path, field } of Object.values(forms)) {
    await page.goto(url + path)
    const input = page.getByLabel(field, { exact: true })
    await input.fill('Not saved')
    await page.keyboard.press('Escape')
    await confirmation(page).waitFor()
    await page.keyboard.press('Escape')
    await confirmation(page).waitFor({ state: 'detached' })
    assert.equal(await input.inputValue(), 'Not saved', path)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await choose(page, 'Cancel')
    assert.equal(await input.inputValue(), 'Not saved', path)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await choose(page, 'Discard changes')
    await page.waitForURL(current => current.pathname !== path)
    await confirmation(page).waitFor({ state: 'detached' })
  }
  assert.deepEqual(problems, [])
})

test('history back, other sections and closing the tab ask for confirmation', async t => {
  const { page, problems, channel } = await openWithSettings(t)
  await page.getByRole('link', { name: 'Settings of #general' }).first().click()
  const topic = page.getByLabel('Topic', { exact: true })
  await topic.click()
  await page.keyboard.type('Not saved')

  // Not awaited, because the promise of a cancelled navigation never resolves.
  void page.evaluate(() => history.back())
  await choose(page, 'Cancel')
  assert.equal(await topic.inputValue(), 'Not saved')
  assert.equal(new URL(page.url()).pathname, `${channel}/settings`)

  await page.getByRole('link', { name: 'Permissions' }).click()
  await choose(page, 'Cancel')
  assert.equal(await topic.inputValue(), 'Not saved')

  const dialogEvent = page.waitForEvent('dialog')
  const closed = page.close({ runBeforeUnload: true })
  const dialog = await dialogEvent
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await closed
  assert.equal(await topic.inputValue(), 'Not saved')

  await page.getByRole('link', { name: 'Permissions' }).click()
  await choose(page, 'Discard changes')
  await page.waitForURL(`**${channel}/settings/permissions`)
  assert.deepEqual(problems, [])
})

test('does not ask for confirmation if the form is saved or unchanged', async t => {
  const { url, page, problems, forms } = await openWithSettings(t)
  const { path, field } = forms.channel
  await page.goto(url + path)
  const input = page.getByLabel(field, { exact: true })
  await input.fill('Boats')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await input.fill('Boats and more')
  await input.fill('Boats')
  await page.keyboard.press('Escape')
  await page.getByLabel('Messages in general').waitFor()
  assert.equal(await confirmation(page).count(), 0)
  assert.deepEqual(problems, [])
})

test('what the user enters while a form is being saved remains and can be saved', async t => {
  const { url, page, problems, forms } = await openWithSettings(t)
  for (const { path, field } of Object.values(forms)) {
    await page.goto(url + path)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/**', async route => {
      if (route.request().method() === 'PATCH') await released
      await route.continue()
    })
    const input = page.getByLabel(field, { exact: true })
    const form = page.locator('form', { has: input })
    const save = form.getByRole('button', { name: 'Save changes' })
    await input.fill('Boats')
    await save.click()
    await waitForValue(() => save.isEnabled(), false, 'the button while the form is being saved')
    await input.fill('Boats and more')
    release()
    await waitForValue(() => save.isEnabled(), true, 'the button after the response')
    assert.equal(await input.inputValue(), 'Boats and more', path)
    await save.click()
    await form.getByText('Saved.').waitFor()
    await page.reload()
    assert.equal(await input.inputValue(), 'Boats and more', path)
    await page.unroute('**/api/**')
  }
  assert.deepEqual(problems, [])
})

test('collapsing a form in a list asks for confirmation', async t => {
  const { url, page, problems, server } = await openWithSettings(t)
  await page.goto(`${url}/channels/${server.id}/settings/roles`)
  await page.getByRole('button', { name: 'New role' }).click()
  const name = page.getByLabel('Role name', { exact: true })
  await name.fill('Pilots')
  await page.getByRole('button', { name: /^Close: / }).click()
  await choose(page, 'Cancel')
  assert.equal(await name.inputValue(), 'Pilots')
  await page.getByRole('button', { name: /^Close: / }).click()
  await choose(page, 'Discard changes')
  await name.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})
