import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../tools/browser.ts'
import { makeWorld } from '../../server/src/interactions/testing.ts'
import { found, register } from '../../server/src/platform/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { atEnd, openAs } from './testing.ts'

/** What of the page has the focus, in words: a row's text, or a control's name. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    return element?.getAttribute('aria-label') ?? element?.querySelector('.body')?.textContent ?? ''
  })
}

test('keyboard alone: through the messages, to their actions, and back to the composer', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await found(ann, bob)
  const path = `/api/channels/${general.id}/messages`
  for (const [who, content] of [
    [ann, 'One'],
    [bob, 'Two'],
    [ann, 'Three'],
  ] as const)
    await who.client.json('POST', path, { content })
  const { page, problems } = await openAs(browser, service, ann, `/channels/${server.id}/${general.id}`)
  const messages = page.getByLabel('Messages in general')
  await messages.getByText('Three').waitFor()
  const press = (key: string) => page.keyboard.press(key)
  const composer = 'Message #general'
  assert.equal(await focused(page), composer)

  await press('Shift+Tab')
  await press('End')
  await press('ArrowUp')
  assert.equal(await focused(page), 'Two')
  await press('ArrowDown')
  await press('ArrowDown')
  assert.equal(await focused(page), composer, 'below the last message one writes')
  await press('Shift+Tab')
  await press('Escape')
  await press('Home')
  assert.equal(await focused(page), 'One')
  await press('Enter')
  assert.equal(await focused(page), 'Copy text')
  await press('ArrowRight')
  assert.equal(await focused(page), 'Edit')
  await press('Enter')
  await page.getByRole('textbox', { name: 'Edit message' }).waitFor()
  assert.equal(await focused(page), 'Edit message')
  await page.keyboard.type(' and a half')
  await press('Enter')
  await messages.getByText('One and a half').waitFor()
  await page.waitForFunction(name => document.activeElement?.getAttribute('aria-label') === name, composer)

  await press('ArrowUp')
  assert.equal(await focused(page), 'Edit message', 'the arrow up edits the last message of one’s own')
  await press('Escape')
  await page.waitForFunction(name => document.activeElement?.getAttribute('aria-label') === name, composer)
  await press('Shift+Tab')
  await press('Escape')
  await press('ArrowLeft')
  await press('Enter')
  await press('ArrowLeft')
  assert.equal(await focused(page), 'Delete')
  await press('Enter')
  await page.getByRole('alertdialog').waitFor()
  await press('Enter')
  await messages.getByText('Three').waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('the way down is shown to who is further up alone, and leaves the focus to the composer', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  const say = (content: string) =>
    ann.client.json('POST', `/api/channels/${general.id}/messages`, { content })
  for (const content of ['One', 'Two', 'Three']) await say(content)
  const { page, problems } = await openAs(
    browser,
    service,
    ann,
    `/channels/${server.id}/${general.id}`,
    {},
    async page => {
      await page.addInitScript(() => {
        const look = () => document.querySelector('.jump') && document.body.setAttribute('data-shown', '')
        new MutationObserver(look).observe(document, { childList: true, subtree: true })
      })
    },
  )
  const messages = page.getByLabel('Messages in general')
  // They come after the messages, above them, and make the list longer than the view.
  await page.getByRole('region', { name: 'First steps' }).waitFor()
  await atEnd(page)
  for (let number = 1; number <= 40; number += 1) await say(`Line ${number}`)
  await messages.getByText('Line 40', { exact: true }).waitFor()
  for (const height of [420, 640, 360, 720]) {
    await page.setViewportSize({ width: 1280, height })
    await page.waitForFunction(height => innerHeight === height, height)
    await atEnd(page)
  }
  assert.equal(await page.locator('body').getAttribute('data-shown'), null)

  // More than once, as one does whom the end draws back: a view that was just put in its place is looked at for some frames.
  await page.waitForFunction(() => {
    document.querySelector('.messages')?.scrollTo({ top: 0 })
    return document.querySelector('.jump')
  })
  const way = page.getByRole('button', { name: 'Jump to the latest' })
  await way.focus()
  await page.keyboard.press('Enter')
  await way.waitFor({ state: 'detached' })
  assert.equal(await focused(page), 'Message #general')
  assert.deepEqual(problems, [])
})

test('keyboard alone: a command is found, filled and used, its bounds said as one types', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const world = await makeWorld(service)
  await world.bot.connect()
  const at = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems } = await openAs(browser, service, world.ann, at)
  await page.getByLabel('Message #general').waitFor()
  await page.keyboard.type('/ro')
  await page.getByRole('option', { name: /roll/ }).waitFor()
  await page.keyboard.press('Enter')
  const sides = page.getByRole('textbox', { name: 'sides' })
  await sides.waitFor()
  await page.keyboard.type('101')
  await page.getByText('At most 100.').waitFor()
  assert.equal(await sides.getAttribute('aria-invalid'), 'true')
  await page.keyboard.press('Backspace')
  await page.getByText('At most 100.').waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.getByText(/is answering/).waitFor()
  assert.deepEqual(world.bot.received[0]?.data, {
    id: world.commands.roll,
    name: 'roll',
    options: [{ name: 'sides', type: 'integer', value: 10 }],
  })
  await world.bot.callback(world.bot.received[0], { type: 'message', data: { content: 'Seven' } })
  await page.getByLabel('Messages in general').getByText('Seven').waitFor()
  assert.deepEqual(problems, [])
})

test('a dialog takes the name at once, keeps the focus, and gives it back', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  const { page, problems } = await openAs(browser, service, ann, `/channels/${server.id}/${general.id}`)
  for (const [opens, field] of [
    ['Create a channel', 'Channel name'],
    ['Add a server', 'Server name'],
  ] as const) {
    const opener = page.getByRole('button', { name: opens })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.type('pier')
    assert.equal(await dialog.getByLabel(field).inputValue(), 'pier')
    for (let count = 0; count < 12; count += 1) await page.keyboard.press('Tab')
    assert.ok(await dialog.evaluate(element => element.contains(document.activeElement)))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.waitForFunction(name => document.activeElement?.getAttribute('aria-label') === name, opens)
  }
  assert.deepEqual(problems, [])
})

test('a channel that comes late takes the focus from nobody, and has it where nobody moved it', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'pier' })
  const late = Promise.withResolvers<void>()
  const { page, problems } = await openAs(
    browser,
    service,
    ann,
    `/channels/${server.id}/${general.id}`,
    {},
    async page => {
      await page.route('**/api/servers/*/channels', route => late.promise.then(() => route.continue()))
    },
  )
  await page.getByRole('button', { name: 'Add a server' }).focus()
  late.resolve()
  await page.getByLabel('Messages in general').waitFor()
  assert.equal(await focused(page), 'Add a server')

  await page.getByRole('link', { name: 'pier', exact: true }).click()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Message #pier')
  assert.deepEqual(problems, [])
})

test('a server of many has a list of members that draws those in view, and finds them by scrolling', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const others = await Promise.all(
    Array.from({ length: 120 }, (_, index) => register(service, `m${String(index).padStart(3, '0')}`)),
  )
  const { server, general } = await found(ann, ...others)
  const { page, problems } = await openAs(browser, service, ann, `/channels/${server.id}/${general.id}`)
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByText('People — 121').waitFor()
  await members.getByText('m000').waitFor()
  assert.ok((await members.getByRole('button').count()) < 60)
  assert.equal(await members.getByText('m119').count(), 0)
  await members.evaluate(element => element.scrollTo({ top: element.scrollHeight }))
  await members.getByText('m119').click()
  await page.getByRole('dialog', { name: 'Profile of m119' }).waitFor()
  assert.deepEqual(problems, [])
})
