import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { openAs, waitForFocus, waitForListEnd, waitForValue } from './testing.ts'

async function openChannel(t: TestContext) {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const others = await Promise.all(Array.from({ length: 20 }, (_, index) => register(service, `m${index}`)))
  const { server, general } = await createServer(ann, bob, ...others)
  const messagesPath = `/api/channels/${general.id}/messages`
  for (let number = 0; number < 40; number += 1) {
    const { client } = number % 2 === 0 ? ann : bob
    const content = `Line ${number} https://example.org/${number}`
    const reply = await client.json('POST', messagesPath, { content })
    assert.equal(reply.status, 201, reply.text)
    await bob.client.json('PUT', `/api/channels/${general.id}/read`, { messageId: reply.body.id })
  }
  const path = `/channels/${server.id}/${general.id}`
  const viewport = { width: 1280, height: 720 }
  const { page, problems } = await openAs(t, service, bob, path, { viewport })
  await page.getByLabel('Messages in general').getByText('Line 39').waitFor()
  await page.getByRole('complementary', { name: 'Members' }).getByText('m19').waitFor()
  await waitForFocus(page, 'Message #general')
  await waitForListEnd(page)
  await page.locator('.messages-row[tabindex="0"]').getByText('Line 39').waitFor()
  return { page, problems }
}

/** The part of the page, the message and the control that have the focus. */
function focusedElement(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement
    const part = element?.closest('.messages, .members, .composer, .side')?.classList[0] ?? ''
    const row = element?.closest('.messages-row')?.querySelector('.body')?.textContent ?? ''
    const label = element?.getAttribute('aria-label') ?? element?.textContent ?? ''
    return { part, row: row.split(' ', 2).join(' '), on: element?.matches('.messages-row') ? 'row' : label }
  })
}

/** Presses Tab from the start of the page until the focus leaves it. */
async function tabThrough(page: Page) {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    document.body.tabIndex = -1
    document.body.focus()
  })
  const stops = []
  for (;;) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement === document.body)) return stops
    stops.push(await focusedElement(page))
    assert.ok(stops.length < 100, 'too many tab stops')
  }
}

test('the message list and the member list have few tab stops', async t => {
  const { page, problems } = await openChannel(t)
  const stops = await tabThrough(page)
  const inMessages = stops.filter(({ part }) => part === 'messages')
  assert.deepEqual(
    inMessages.map(({ row, on }) => [row, on.split('/')[0]]),
    [
      ['Line 39', 'row'],
      ['Line 39', 'bob'],
      ['Line 39', 'https:'],
      ['Line 39', 'Copy text'],
    ],
  )
  assert.equal(stops.filter(({ part }) => part === 'members').length, 1)
  assert.ok(stops.length < 25, `${stops.length} tab stops`)
  assert.deepEqual(problems, [])
})

test('arrow keys move between messages, and Tab moves into the toolbar of a message and to the composer', async t => {
  const { page, problems } = await openChannel(t)
  // The list may have to scroll to a message and render it before it can have the focus.
  const press = async (key: string, row: string, on: string, message = key) => {
    await page.keyboard.press(key)
    await waitForValue(() => focusedElement(page), { part: 'messages', row, on }, message)
  }
  await page.getByLabel('Message #general').focus()
  await press('Shift+Tab', 'Line 39', 'Copy text')
  await press('Escape', 'Line 39', 'row')
  await press('ArrowUp', 'Line 38', 'row')
  await press('Home', 'Line 0', 'row')
  await press('ArrowDown', 'Line 1', 'row')
  await press('Tab', 'Line 1', 'bob')
  await press('Tab', 'Line 1', 'https://example.org/1')
  await press('Tab', 'Line 1', 'Copy text')
  await press('ArrowRight', 'Line 1', 'Edit')
  await press('ArrowRight', 'Line 1', 'Delete')
  await press('Shift+Tab', 'Line 1', 'https://example.org/1')
  await press('Tab', 'Line 1', 'Delete', 'a toolbar remembers its last focused button')
  await page.keyboard.press('Tab')
  await page.waitForFunction(() => !document.activeElement?.closest('.messages'))
  assert.deepEqual(problems, [])
})

test('arrow keys move between members, and Escape closes the member list', async t => {
  const { page, problems } = await openChannel(t)
  const members = page.getByRole('complementary', { name: 'Members' })
  await members.getByText('ann', { exact: true }).click()
  await page.getByRole('dialog', { name: 'Profile of ann' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Profile of ann' }).waitFor({ state: 'detached' })
  await members.waitFor()
  await page.waitForFunction(() => document.activeElement?.matches('.member'))
  const press = async (key: string, name: string) => {
    await page.keyboard.press(key)
    await waitForValue(async () => (await focusedElement(page)).on.slice(-name.length), name, key)
  }
  await press('ArrowDown', 'bob')
  await press('End', 'm9')
  await press('Home', 'annOwner')
  await press('Escape', 'Show members')
  await members.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})
