// Runs in its own process: it takes longer than the others, so it starts first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { createScreens, openScreen } from './screens.ts'
import { openAs } from './testing.ts'

const fields =
  'textarea, select, [contenteditable], input:not([type=hidden], [type=checkbox], ' +
  '[type=radio], [type=file], [type=range], [type=color])'

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
    const sizes = await page.locator(fields).evaluateAll(elements =>
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

test('no field reacts to a key that an input method handles (community/input-methods)', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const screens = await createScreens(world)
  const { page } = await openAs(t, service, world.owner, '/', { reducedMotion: 'reduce' })
  const reactions: Record<string, string[]> = {}
  let count = 0
  /** Presses the keys in all fields, as Safari does: after the end of the composition. */
  const check = async (name: string) => {
    const found = await page.locator(fields).evaluateAll(async elements => {
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
    count += found.count
    if (found.found.length > 0) reactions[name] = found.found
  }
  for (const screen of screens) {
    await openScreen(page, service.url, screen)
    if (screen.name === 'a channel') await page.getByLabel('Message #general').fill('not sent')
    await check(screen.name)
  }
  await openScreen(page, service.url, screens[0] ?? assert.fail())
  await page.getByLabel('Message #general').press('ArrowUp')
  await page.getByLabel('Edit message').waitFor()
  await check('an edit')
  assert.ok(count > 40, `${count} fields`)
  assert.deepEqual(reactions, {})
})
