// Runs in its own process: it takes longer than the others, so it starts first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { createScreens, openScreen } from './screens.ts'
import { openAs } from './testing.ts'

test('axe reports no violation on any screen, light and dark', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const screens = await createScreens(world)
  const { page, problems } = await openAs(t, service, world.owner, '/', { reducedMotion: 'reduce' })
  const violations: Record<string, string[]> = {}
  for (const screen of screens) {
    await page.emulateMedia({ colorScheme: 'light' })
    await openScreen(page, service.url, screen)
    const light = await findViolations(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await findViolations(page)
    if (light.length > 0 || dark.length > 0) violations[screen.name] = [...light, ...dark]
  }
  assert.deepEqual(violations, {})
  assert.deepEqual(problems, [])
})

test('axe reports no violation on a narrow screen, and no screen overflows it', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const screens = (await createScreens(world)).filter(({ press, type }) => !press && !type)
  const { page } = await openAs(t, service, world.owner, '/', {
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
  })
  const violations: Record<string, string[]> = {}
  for (const screen of screens) {
    await openScreen(page, service.url, screen)
    const lines = await findViolations(page)
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) lines.push('too wide')
    if (lines.length > 0) violations[screen.name] = lines
  }
  await page.goto(`${service.url}/channels/${world.serverId}/${world.channelId}`)
  await page.getByRole('button', { name: 'Open channels' }).click()
  await page.getByRole('link', { name: 'general', exact: true }).waitFor()
  const lines = await findViolations(page)
  if (lines.length > 0) violations['the open pane'] = lines
  assert.deepEqual(violations, {})
})
