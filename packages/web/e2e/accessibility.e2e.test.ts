// Runs in its own process: it takes longer than the others, so it starts first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { createScreens, openScreen, textFields } from './screens.ts'
import { openAs } from './testing.ts'

/** The keys that fields react to although an input method handles them: as Safari sends them, after the composition. */
function findReactions(page: Page): Promise<{ found: string[]; count: number }> {
  return page.locator(textFields).evaluateAll(async elements => {
    const found: string[] = []
    for (const field of elements as HTMLElement[]) {
      if (field.matches(':disabled') || field.closest('[inert]')) continue
      field.focus()
      await new Promise(requestAnimationFrame)
      const before = document.body.innerHTML
      for (const key of ['Enter', 'Escape', 'Tab', 'ArrowDown', 'ArrowUp']) {
        const init = { key, keyCode: 229, bubbles: true, cancelable: true }
        const isDefault = field.dispatchEvent(new KeyboardEvent('keydown', init))
        await new Promise(requestAnimationFrame)
        await new Promise(requestAnimationFrame)
        const isSame = document.activeElement === field && document.body.innerHTML === before
        if (!isDefault || !isSame) found.push(`${key}: ${field.outerHTML.slice(0, 120)}`)
      }
    }
    return { found, count: elements.length }
  })
}

// One walk for all checks, because opening the screens takes most of the time.
test('every screen', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const screens = await createScreens(world)
  const { page, problems } = await openAs(t, service, world.owner, '/', { reducedMotion: 'reduce' })
  const violations: Record<string, string[]> = {}
  const reactions: Record<string, string[]> = {}
  let fieldCount = 0
  const checkFields = async (name: string) => {
    const { found, count } = await findReactions(page)
    fieldCount += count
    if (found.length > 0) reactions[name] = found
  }
  for (const screen of screens) {
    await page.emulateMedia({ colorScheme: 'light' })
    await openScreen(page, service.url, screen)
    const light = await findViolations(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await findViolations(page)
    if (light.length > 0 || dark.length > 0) violations[screen.name] = [...light, ...dark]
    if (screen.name === 'a channel') await page.getByLabel('Message #general').fill('not sent')
    await checkFields(screen.name)
  }
  await openScreen(page, service.url, screens[0] ?? assert.fail())
  await page.getByLabel('Message #general').press('ArrowUp')
  await page.getByLabel('Edit message').waitFor()
  await checkFields('an edit')

  await t.test('axe reports no violation on any screen, light and dark', () => {
    assert.deepEqual(violations, {})
    assert.deepEqual(problems, [])
  })
  await t.test('no field reacts to a key that an input method handles (community/input-methods)', () => {
    assert.ok(fieldCount > 40, `${fieldCount} fields`)
    assert.deepEqual(reactions, {})
  })
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
