import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchBrowser } from '../../../tools/browser.ts'
import { makeWorld } from '../../server/src/interactions/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { openScreen, screensOf } from './screens.ts'
import { findings, openAs } from './testing.ts'

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing on any screen, ${colorScheme}`, async t => {
    const service = await startService(t)
    const browser = await launchBrowser(t)
    const world = await makeWorld(service)
    const screens = await screensOf(world)
    const { page, problems } = await openAs(browser, service, world.owner, '/', {
      colorScheme,
      reducedMotion: 'reduce',
    })
    const found: Record<string, string[]> = {}
    for (const screen of screens) {
      await openScreen(page, service.url, screen)
      const lines = await findings(page)
      if (lines.length > 0) found[screen.name] = lines
    }
    assert.deepEqual(found, {})
    assert.deepEqual(problems, [])
  })
}

test('axe finds nothing where the panes slide, and nothing is wider than a narrow screen', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const world = await makeWorld(service)
  const screens = (await screensOf(world)).filter(({ press, type }) => !press && !type)
  const { page } = await openAs(browser, service, world.owner, '/', {
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
  })
  const found: Record<string, string[]> = {}
  for (const screen of screens) {
    await openScreen(page, service.url, screen)
    const lines = await findings(page)
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) lines.push('too wide')
    if (lines.length > 0) found[screen.name] = lines
  }
  await page.goto(`${service.url}/channels/${world.serverId}/${world.channelId}`)
  await page.getByRole('button', { name: 'Open channels' }).click()
  await page.getByRole('link', { name: 'general', exact: true }).waitFor()
  const lines = await findings(page)
  if (lines.length > 0) found['the open pane'] = lines
  assert.deepEqual(found, {})
})
