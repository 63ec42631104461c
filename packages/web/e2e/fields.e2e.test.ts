// Runs in its own process: it takes longer than the others, so it starts first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { createScreens, openScreen, textFields } from './screens.ts'
import { openAs } from './testing.ts'

test('the text of every field has at least 16 px on a touch screen (community/field-text)', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const screens = await createScreens(world)
  const { page } = await openAs(t, service, world.owner, '/', {
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  })
  assert.ok(await page.evaluate(() => matchMedia('(any-pointer: coarse)').matches))
  const small: Record<string, string[]> = {}
  let count = 0
  const check = async (name: string) => {
    const sizes = await page.locator(textFields).evaluateAll(elements =>
      elements.map(element => ({
        size: Number.parseFloat(getComputedStyle(element).fontSize),
        markup: element.outerHTML.slice(0, 120),
      })),
    )
    count += sizes.length
    const found = sizes.filter(({ size }) => size < 16).map(({ size, markup }) => `${size} px: ${markup}`)
    if (found.length > 0) small[name] = found
  }
  for (const screen of screens) {
    await openScreen(page, service.url, screen)
    await check(screen.name)
  }
  for (const path of ['/login', '/register', '/forgot-password']) {
    if (path === '/login') await page.context().clearCookies()
    await page.goto(service.url + path)
    await check(path)
  }
  assert.ok(count > 40, `${count} fields`)
  assert.deepEqual(small, {})
})
