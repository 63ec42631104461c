import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

test('on a narrow screen Escape, the close button and history back close each pane', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'pier' })
  const path = `/channels/${server.id}/${general.id}`
  const viewport = { width: 360, height: 740 }
  const { page, problems } = await openAs(t, service, ann, path, { viewport })
  await page.getByLabel('Messages in general').waitFor()
  const waitForFocus = (name: string) =>
    page.waitForFunction(label => document.activeElement?.getAttribute('aria-label') === label, name)
  for (const [opener, closer, pane] of [
    ['Open channels', '.side .pane-close', '.side:not([inert])'],
    ['Show members', '.members + .pane-close', '.members'],
  ] as const) {
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => page.locator(closer).click(),
      () => page.evaluate(() => history.back()),
    ]) {
      await page.getByRole('button', { name: opener, exact: true }).click()
      await page.locator(pane).waitFor()
      await page.waitForFunction(() => document.activeElement?.matches('.pane-close'))
      await close()
      await page.locator(pane).waitFor({ state: 'detached' })
      await waitForFocus(opener)
      assert.equal(new URL(page.url()).pathname, path)
    }
  }

  // Selecting a channel replaces the history entry of the pane, so back leads to the previous channel.
  await page.getByRole('button', { name: 'Open channels', exact: true }).click()
  await page.getByRole('link', { name: 'pier', exact: true }).click()
  await page.getByLabel('Messages in pier').waitFor()
  await page.goBack()
  await page.getByLabel('Messages in general').waitFor()
  await page.locator('.side[inert]').waitFor({ state: 'attached' })
  assert.deepEqual(problems, [])
})
