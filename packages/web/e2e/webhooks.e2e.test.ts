import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found, register } from '../../server/src/platform/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { confirmIn, launch, openAs } from './testing.ts'

test('a webhook is made, named, posted to, given a new address and deleted', async t => {
  const service = await startService(t)
  const browser = await launch(t)
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  const at = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(browser, service, ann, `${at}/settings/webhooks`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const post = (url: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByLabel('Name').fill('Builds')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByText('Nothing has been posted yet.').waitFor()

  const copied = async () => {
    await page.getByRole('button', { name: /^Cop/ }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const address = page.getByLabel('Address')
  assert.equal(await address.getAttribute('type'), 'password', 'bystanders do not read it')
  const first = await copied()
  assert.equal((await post(first, { content: 'Build 42 is green' })).status, 204)
  assert.equal((await post(first, { embeds: [{ title: 'x'.repeat(300) }] })).status, 400)
  await page.reload()
  await page.getByRole('button', { name: 'Edit: Builds' }).click()
  const log = page.getByRole('region', { name: 'Last posts' })
  await log.getByText('embeds[0].title').waitFor()
  await log.getByText('Posted', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'New address' }).click()
  await confirmIn(page, 'New address')
  await page.locator(`input:not([value="${first}"])[readonly]`).waitFor()
  const second = await copied()
  assert.notEqual(second, first)
  assert.equal((await post(first, { content: 'Lost' })).status, 404)
  service.clock.advance(3000)
  assert.equal((await post(second, { content: 'Build 43 is green' })).status, 204)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await confirmIn(page, 'Delete')
  await page.getByText('No webhooks yet').waitFor()
  assert.equal((await post(second, { content: 'Lost' })).status, 404)
  await page.keyboard.press('Escape')
  const messages = page.getByLabel('Messages in general')
  await messages.getByText('Build 42 is green').waitFor()
  await messages.getByText('Build 43 is green').waitFor()
  assert.equal(await messages.getByText('Lost').count(), 0)
  assert.deepEqual(problems, [])
})
