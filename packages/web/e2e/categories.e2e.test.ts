import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '@gatehouse/protocol/channels'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForValue } from './testing.ts'

test('categories group channels, which move by drag and by keyboard (community/categories)', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const channels = `/api/servers/${server.id}/channels`
  const news = await ann.client.request<Channel>('POST', channels, { name: 'news' })
  const path = `/channels/${server.id}/${general.id}`
  const bobWindow = await openAs(t, service, bob, path, { viewport: { width: 390, height: 800 } })
  await bobWindow.connected
  const { page, problems } = await openAs(t, service, ann, path)
  const nav = page.getByRole('navigation', { name: 'Channels' })

  // Creates a category, and a channel in it.
  await nav.getByRole('button', { name: 'Menu of' }).click()
  await page.getByRole('menuitem', { name: 'Create a category' }).click()
  await page.getByLabel('Category name').fill('Harbour')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await nav.getByRole('button', { name: 'Create a channel in Harbour' }).click()
  await page.getByLabel('Channel name').fill('quay')
  assert.equal(
    await page.getByLabel('Category', { exact: true }).locator('option:checked').innerText(),
    'Harbour',
  )
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByLabel('Message #quay').waitFor()
  await nav.getByRole('list', { name: 'Harbour' }).getByRole('link', { name: 'quay', exact: true }).waitFor()

  // Moves #general into the category by keyboard, and #news by drag.
  const openDialog = async () => {
    await nav.getByRole('button', { name: 'Menu of' }).click()
    await page.getByRole('menuitem', { name: 'Arrange channels' }).click()
    await page.getByRole('row', { name: 'Harbour' }).waitFor()
  }
  const listRows = () => page.getByRole('row').allInnerTexts()
  const readOrder = async () =>
    (await ann.client.request<Channel[]>('GET', channels)).map(
      ({ name, parentId }) => `${name} ${parentId !== null}`,
    )
  await openDialog()
  await page.getByRole('button', { name: 'Drag general' }).press('Enter')
  await page.getByText('Started dragging.').first().waitFor({ state: 'attached' })
  for (let step = 0; step < 10; step++) {
    if (
      (await page.evaluate(() => document.activeElement?.getAttribute('aria-label')))?.includes('after quay')
    )
      break
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await waitForValue(listRows, ['news', 'Harbour', 'quay', 'general'])
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.deepEqual(await readOrder(), ['news false', 'Harbour false', 'quay true', 'general true'])
  await openDialog()
  await page
    .getByRole('row', { name: 'news' })
    .dragTo(page.getByRole('row', { name: 'Harbour' }), { targetPosition: { x: 60, y: 38 } })
  await waitForValue(listRows, ['Harbour', 'news', 'quay', 'general'])
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.deepEqual(await readOrder(), ['Harbour false', 'news true', 'quay true', 'general true'])

  // Gives #news the permissions of the category.
  const category = (await ann.client.request<Channel[]>('GET', channels)).find(
    ({ type }) => type === 'category',
  )
  const overwrites = `/api/channels/${category?.id}/overwrites/${server.id}`
  await ann.client.request('PUT', overwrites, { type: 'role', allow: '0', deny: String(1 << 11) })
  await ann.client.request('PUT', `/api/channels/${news.id}/overwrites/${server.id}`, {
    ...{ type: 'role', allow: '0', deny: '0' },
  })
  await page.goto(`${service.url}/channels/${server.id}/${news.id}/settings/permissions`)
  await page.getByRole('button', { name: 'Sync with category' }).click()
  const confirmation = page.getByRole('alertdialog')
  await confirmation.getByRole('button', { name: 'Sync with category' }).click()
  await page.getByText('The permissions are the same as those of the category Harbour').waitFor()
  assert.deepEqual(await findViolations(page), [])

  // Bob sees the order and collapses the category; the open channel stays.
  const { page: phone } = bobWindow
  const list = phone.getByRole('list', { name: 'Harbour' })
  await phone.getByRole('button', { name: 'Open channels' }).click()
  await waitForValue(async () => (await list.getByRole('link').allInnerTexts()).join(), 'news,quay,general')
  await phone.getByRole('button', { name: 'Harbour' }).press('Enter')
  await waitForValue(async () => (await list.getByRole('link').allInnerTexts()).join(), 'general')
  await phone.reload()
  await list.getByRole('link').waitFor()
  assert.deepEqual(await list.getByRole('link').allInnerTexts(), ['general'])
  assert.deepEqual(await findViolations(phone), [])

  // Renames and deletes the category.
  await page.goto(`${service.url}/channels/${server.id}/${category?.id}/settings/overview`)
  await page.getByLabel('Category name').fill('Port')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await phone.getByRole('button', { name: 'Port' }).waitFor()
  await page.getByRole('button', { name: 'Delete category' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete category' }).click()
  await page.getByLabel(/^Message #/).waitFor()
  await phone.getByRole('button', { name: 'Port' }).waitFor({ state: 'detached' })
  assert.equal(await phone.getByRole('link', { name: 'news', exact: true }).count(), 1)
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})
