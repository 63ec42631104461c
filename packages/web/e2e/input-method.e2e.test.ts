import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import type { Locator } from 'playwright-core'
import { openAs, waitForFocus, waitForValue } from './testing.ts'

test('Escape ends the composition of an input method, and closes nothing', async t => {
  const service = await startService(t)
  const { owner, serverId, channelId } = await createWorld(service)
  await owner.client.json('POST', `/api/channels/${channelId}/messages`, { content: 'One' })
  const { page, problems } = await openAs(t, service, owner, `/channels/${serverId}/${channelId}`)
  const devtools = await page.context().newCDPSession(page)
  /** Presses Escape while a text is composed in the focused field, and asserts that the field stays as it is. */
  async function composeIn(field: Locator, before: string) {
    await devtools.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
    await page.keyboard.press('Escape')
    // The input method of a user would end the composition.
    await devtools.send('Input.insertText', { text: 'に' })
    assert.deepEqual(await valuesOf(field), [`${before}に`])
  }

  await page.getByLabel('Messages in general').getByText('One', { exact: true }).waitFor()
  await waitForFocus(page, 'Message #general')
  await page.keyboard.press('ArrowUp')
  await waitForFocus(page, 'Edit message')
  await composeIn(page.getByLabel('Edit message'), 'One')
  await page.keyboard.press('Escape')
  await waitForFocus(page, 'Message #general')

  await page.keyboard.insertText('/roll sides:6 note:why')
  await page.getByRole('form', { name: '/roll' }).waitFor()
  await composeIn(page.getByRole('textbox', { name: 'note' }), 'why')
  await page.keyboard.press('Escape')
  await waitForFocus(page, 'Message #general')

  await page.goto(`${service.url}/channels/${serverId}/settings/overview`)
  const name = page.getByLabel('Server name', { exact: true })
  await name.fill('Harbour')
  const confirmation = page.getByRole('alertdialog', { name: 'Discard changes?' })
  await page.keyboard.press('Escape')
  await confirmation.waitFor()
  await page.keyboard.press('Escape')
  await confirmation.waitFor({ state: 'detached' })
  // The dialog returns the focus after it has closed.
  await waitForValue(() => name.evaluate(input => input === document.activeElement), true)
  await composeIn(name, 'Harbour')
  assert.equal(await confirmation.count(), 0)
  assert.deepEqual(problems, [])
})

const valuesOf = (field: Locator) =>
  field.evaluateAll(fields => fields.map(field => (field as HTMLInputElement).value))
