import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { verifyEmail } from '@gatehouse/testkit/accounts'
import { createRealClock } from '@gatehouse/testkit/clock'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

test('the composer says what is missing, and opens when it is there (community/verification-level)', async t => {
  const service = await startService(t, { clock: createRealClock() })
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const bobWindow = await openAs(
    t,
    service,
    bob,
    `/channels/${server.id}/${general.id}`,
    { viewport: { width: 390, height: 800 } },
    page => page.clock.install(),
  )
  const composer = bobWindow.page.getByLabel('Message #general')
  await composer.waitFor()
  await bobWindow.connected
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/settings/overview`)
  await page
    .getByLabel('Verification level')
    .selectOption('A verified email address, and a member for 10 minutes')
  await bobWindow.page.getByText('Verify your email address first.').waitFor()
  await composer.waitFor({ state: 'detached' })
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(await findViolations(bobWindow.page), [])

  await verifyEmail(service, bob.client)
  await bobWindow.page.getByText(/^You are new on this server\. You can write after/).waitFor()
  await bobWindow.page.clock.fastForward(600_000)
  await composer.waitFor()
  await page.goto(`${service.url}/channels/${server.id}/settings/audit-log`)
  await page
    .getByText('Verification level: None → A verified email address, and a member for 10 minutes')
    .waitFor()
  assert.deepEqual([...problems, ...bobWindow.problems], [])
})
