import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForValue } from './testing.ts'

/** Saves an edit of the first of two messages, and edits the second one before the response arrives. */
async function editBoth(t: TestContext) {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const path = `/api/channels/${general.id}/messages`
  const first = (await ann.client.json('POST', path, { content: 'First' })).body
  await ann.client.json('POST', path, { content: 'Second' })
  const { page, problems, connected } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  // The client loads the messages again after READY, and the service does not have the edit.
  await connected
  const { promise: response, resolve: respond } = Promise.withResolvers<{ status?: number; json: unknown }>()
  // The service does not get the request, so that no event changes the message before the response.
  await page.route(`**${path}/*`, async route => route.fulfill(await response))
  const row = (text: string) => page.locator('.message', { hasText: text })
  const edit = async (text: string) => {
    await row(text).hover()
    await row(text).getByRole('button', { name: 'Edit', exact: true }).click()
  }
  const editBox = page.getByRole('textbox', { name: 'Edit message' })
  await edit('First')
  await editBox.fill('First, edited')
  await editBox.press('Enter')
  // Typing while it is saved would be lost.
  await page.locator('.edit-box textarea[readonly]').waitFor()
  await edit('Second')
  await editBox.fill('Second, edited')
  return { page, problems, path, first, respond, row, editBox }
}

test('the late response to an edit does not close the box of another message', async t => {
  const { problems, first, respond, row, editBox } = await editBoth(t)
  respond({ json: { ...first, content: 'First, edited' } })
  await row('First, edited').waitFor()
  assert.equal(await editBox.inputValue(), 'Second, edited')
  assert.deepEqual(problems, [])
})

test('an edit that fails after another message is edited keeps its text', async t => {
  const { page, problems, path, respond, row, editBox } = await editBoth(t)
  respond({ status: 503, json: { code: 'unavailable', message: 'The service is unavailable.' } })
  const notice = row('First').getByRole('alert')
  await notice.getByText('The edit was not saved.').waitFor()
  assert.equal(await editBox.inputValue(), 'Second, edited')
  assert.deepEqual(await findViolations(page), [])
  await page.unroute(`**${path}/*`)
  await notice.getByRole('button', { name: 'Edit' }).click()
  await waitForValue(() => editBox.inputValue(), 'First, edited')
  await editBox.press('Enter')
  await row('First, edited').waitFor()
  await notice.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})
