import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createRealClock } from '@gatehouse/testkit/clock'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

test('the composer shows the wait of slow mode, and sends when it is over (community/slow-mode)', async t => {
  const service = await startService(t, { clock: createRealClock() })
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const channel = `/channels/${server.id}/${general.id}`
  const bobWindow = await openAs(t, service, bob, channel, { viewport: { width: 390, height: 800 } })
  const composer = bobWindow.page.getByLabel('Message #general')
  await composer.waitFor()
  await bobWindow.connected
  const { page, problems } = await openAs(t, service, ann, `${channel}/settings/overview`)
  await page.getByLabel('Slow mode').selectOption('5 seconds')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  assert.deepEqual(await findViolations(page), [])

  await bobWindow.page.getByText('Slow mode: one message every 5 seconds.').waitFor()
  await composer.fill('First')
  await composer.press('Enter')
  await bobWindow.page
    .getByRole('timer')
    .getByText(/^Slow mode: next message in 0:0[1-5]\.$/)
    .waitFor()
  await composer.fill('Second')
  await composer.press('Enter')
  assert.equal(await composer.inputValue(), 'Second', 'the text stays until it can be sent')
  assert.deepEqual(await findViolations(bobWindow.page), [])
  await bobWindow.page.getByText('Slow mode: one message every 5 seconds.').waitFor()
  await composer.press('Enter')
  await bobWindow.page.locator('.body').getByText('Second').waitFor()

  // A moderator does not wait.
  await page.goto(service.url + channel)
  await page.getByLabel('Message #general').waitFor()
  assert.equal(await page.getByText(/^Slow mode/).count(), 0)
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})
