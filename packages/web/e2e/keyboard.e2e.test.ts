import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import type { Locator, Page } from 'playwright-core'
import { confirmDialog, openAs, scrollToStart, waitForListEnd, waitForValue } from './testing.ts'

/** Waits until the control with this label or the message with this text has the focus. */
async function expectFocus(page: Page, label: string, message?: string): Promise<void> {
  const read = () =>
    page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute('aria-label') ?? element?.querySelector('.body')?.textContent ?? ''
    })
  await waitForValue(read, label, message)
}

test('the keyboard reaches the messages, their actions and the composer', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const path = `/api/channels/${general.id}/messages`
  for (const [author, content] of [
    [ann, 'One'],
    [bob, 'Two'],
    [ann, 'Three'],
  ] as const)
    await author.client.json('POST', path, { content })
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  const messages = page.getByLabel('Messages in general')
  await messages.getByText('Three').waitFor()
  const press = async (key: string, focused: string, message?: string) => {
    await page.keyboard.press(key)
    await expectFocus(page, focused, message)
  }
  const composer = 'Message #general'
  await expectFocus(page, composer)

  await press('Shift+Tab', 'Copy text')
  await press('End', 'Copy text')
  await press('ArrowUp', 'Two')
  await press('ArrowDown', 'Three')
  await press('ArrowDown', composer, 'Arrow Down on the last message focuses the composer')
  await press('Shift+Tab', 'Copy text')
  await press('Escape', 'Three')
  await press('Home', 'One')
  await press('Enter', 'Copy text')
  await press('ArrowRight', 'Edit')
  await press('Enter', 'Edit message')
  await page.keyboard.type(' and a half')
  await page.keyboard.press('Enter')
  await messages.getByText('One and a half').waitFor()
  await expectFocus(page, composer)

  await press('ArrowUp', 'Edit message', 'Arrow Up edits the last message of the user')
  await press('Escape', composer)
  await press('Shift+Tab', 'Copy text')
  await press('Escape', 'Three')
  await press('ArrowLeft', 'Three')
  await press('Enter', 'Copy text')
  await press('ArrowLeft', 'Delete')
  await page.keyboard.press('Enter')
  const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Delete' })
  await waitForValue(() => confirm.evaluate(button => button === document.activeElement), true)
  await page.keyboard.press('Enter')
  await messages.getByText('Three').waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('the jump button appears only away from the end and moves the focus to the composer', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const postMessage = (content: string) =>
    ann.client.json('POST', `/api/channels/${general.id}/messages`, { content })
  for (const content of ['One', 'Two', 'Three']) await postMessage(content)
  const { page, problems } = await openAs(
    t,
    service,
    ann,
    `/channels/${server.id}/${general.id}`,
    {},
    async page => {
      await page.addInitScript(() => {
        const checkJump = () =>
          document.querySelector('.jump') && document.body.setAttribute('data-shown', '')
        new MutationObserver(checkJump).observe(document, { childList: true, subtree: true })
      })
    },
  )
  const messages = page.getByLabel('Messages in general')
  // The first steps load after the messages, are rendered above them and make the list taller than the view.
  await page.getByRole('region', { name: 'First steps' }).waitFor()
  await waitForListEnd(page)
  for (let number = 1; number <= 40; number += 1) await postMessage(`Line ${number}`)
  await messages.getByText('Line 40', { exact: true }).waitFor()
  for (const height of [420, 640, 360, 720]) {
    await page.setViewportSize({ width: 1280, height })
    await page.waitForFunction(height => innerHeight === height, height)
    await waitForListEnd(page)
  }
  assert.equal(await page.locator('body').getAttribute('data-shown'), null)

  await scrollToStart(page)
  const jumpButton = page.getByRole('button', { name: 'Jump to the latest' })
  await jumpButton.focus()
  await page.keyboard.press('Enter')
  await jumpButton.waitFor({ state: 'detached' })
  await expectFocus(page, 'Message #general')
  assert.deepEqual(problems, [])
})

test('the keyboard selects, fills and sends a command, and bounds are validated while the user types', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  await world.bot.connect()
  const path = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems } = await openAs(t, service, world.ann, path)
  await expectFocus(page, 'Message #general')
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
  await page.getByText(/Waiting for/).waitFor()
  const event = await world.bot.event(0)
  assert.deepEqual(event.data, {
    id: world.commands.roll,
    name: 'roll',
    options: [{ name: 'sides', type: 'integer', value: 10 }],
  })
  await world.bot.callback(event, { type: 'message', data: { content: 'Seven' } })
  await page.getByLabel('Messages in general').getByText('Seven').waitFor()
  assert.deepEqual(problems, [])
})

test('a dialog focuses its name field, traps the focus and restores it when it closes', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  for (const [openerName, field] of [
    ['Create a channel', 'Channel name'],
    ['Add a server', 'Server name'],
  ] as const) {
    const opener = page.getByRole('button', { name: openerName })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const hasFocus = (locator: Locator) =>
      waitForValue(() => locator.evaluate(element => element.contains(document.activeElement)), true)
    await hasFocus(dialog.getByLabel(field))
    await page.keyboard.type('pier')
    assert.equal(await dialog.getByLabel(field).inputValue(), 'pier')
    for (let count = 0; count < 12; count += 1) await page.keyboard.press('Tab')
    await hasFocus(dialog)
    await page.keyboard.press('Escape')
    await confirmDialog(page, 'Discard changes')
    await dialog.waitFor({ state: 'detached' })
    await expectFocus(page, openerName)
  }
  assert.deepEqual(problems, [])
})

test('a channel that loads late focuses the composer only if the user has not moved the focus', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'pier' })
  const released = Promise.withResolvers<void>()
  const { page, problems, connected } = await openAs(
    t,
    service,
    ann,
    `/channels/${server.id}/${general.id}`,
    {},
    async page => {
      await page.route('**/api/servers/*/channels', route => released.promise.then(() => route.continue()))
    },
  )
  await page.getByRole('button', { name: 'Add a server' }).focus()
  released.resolve()
  await page.getByLabel('Messages in general').waitFor()
  await connected
  // The effects of the first rendering run before the list renders another message.
  await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'Hello' })
  await page.getByLabel('Messages in general').getByText('Hello').waitFor()
  await expectFocus(page, 'Add a server')

  await page.getByRole('link', { name: 'pier', exact: true }).click()
  await expectFocus(page, 'Message #pier')
  assert.deepEqual(problems, [])
})

test('the member list of a large server renders only the members in view', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const ann = await register(service, 'ann')
  const others = await Promise.all(
    Array.from({ length: 120 }, (_, index) => register(service, `m${String(index).padStart(3, '0')}`)),
  )
  const { server, general } = await createServer(ann, ...others)
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
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
