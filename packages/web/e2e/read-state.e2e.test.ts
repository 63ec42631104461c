import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startService, type TestService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { openAs, scrollToStart, waitForListEnd } from './testing.ts'

async function postMessage({ client }: TestUser, channelId: string, content: string): Promise<string> {
  const reply = await client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

async function createCommunity(service: TestService) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const second = await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'second' })
  return { ann, bob, server, general, second: second.body as { id: string } }
}

const channelItem = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Channels' }).getByRole('listitem').filter({ hasText: name })
const serverList = (page: Page) => page.getByRole('navigation', { name: 'Servers' })
const newMarker = (page: Page) => page.getByRole('heading', { name: 'New', exact: true })

test('read states survive a reload, sync between the windows of a user and are separate per user', async t => {
  const service = await startService(t)
  const { ann, bob, server, general, second } = await createCommunity(service)
  const pathOf = (channelId: string) => `/channels/${server.id}/${channelId}`
  await postMessage(ann, general.id, 'first')
  await postMessage(ann, second.id, `<@${bob.id}> look`)

  const first = await openAs(t, service, bob, pathOf(general.id))
  const other = await openAs(t, service, bob, '/channels/@me')
  const annWindow = await openAs(t, service, ann, pathOf(general.id))
  await channelItem(first.page, 'second').locator('.count').getByText('1').waitFor()
  await first.page.reload()
  await channelItem(first.page, 'second').locator('.count').getByText('1').waitFor()
  await serverList(other.page).locator('.count').getByText('1').waitFor()
  await serverList(other.page).getByRole('link', { name: 'Server, unread messages' }).waitFor()
  await first.page.waitForFunction(() => document.title.startsWith('(1) '))
  await channelItem(annWindow.page, 'second').waitFor()

  await channelItem(first.page, 'second').getByRole('link').first().click()
  await newMarker(first.page).waitFor()
  await channelItem(first.page, 'second').locator('.count').waitFor({ state: 'detached' })
  await serverList(other.page).getByRole('link', { name: 'Server', exact: true }).waitFor()
  await first.page.waitForFunction(() => document.title.startsWith('#second'))

  // A message in the open channel is read immediately, also in the other window.
  await postMessage(ann, second.id, `<@${bob.id}> and now?`)
  await first.page.getByLabel('Messages in second').getByText('and now?').waitFor()
  await postMessage(ann, general.id, 'third')
  await channelItem(first.page, 'general').getByText('unread messages').waitFor()
  await serverList(other.page).getByRole('link', { name: 'Server, unread messages' }).waitFor()
  await serverList(other.page).locator('.count').waitFor({ state: 'detached' })
  await channelItem(first.page, 'general').getByRole('link').first().click()
  await serverList(other.page).getByRole('link', { name: 'Server', exact: true }).waitFor()
  await first.page.reload()
  await first.page.getByLabel('Messages in general').getByText('third').waitFor()
  // The page shows this after READY, which has the read states.
  await postMessage(ann, second.id, 'fourth')
  await channelItem(first.page, 'second').getByText('unread messages').waitFor()
  assert.equal(await newMarker(first.page).count(), 0)

  // The read state of Bob does not affect Ann, who opened only `general`.
  await annWindow.page.getByLabel('Messages in general').getByText('third').waitFor()
  await annWindow.page.reload()
  await channelItem(annWindow.page, 'second').getByText('unread messages').waitFor()
  await channelItem(annWindow.page, 'general').getByText('unread messages').waitFor({ state: 'detached' })
  assert.deepEqual([...first.problems, ...other.problems, ...annWindow.problems], [])
})

test('a bar leads to the first of many unread messages', async t => {
  const service = await startService(t)
  const { ann, bob, server, general } = await createCommunity(service)
  const lastRead = await postMessage(ann, general.id, 'the last that was read')
  await bob.client.json('PUT', `/api/channels/${general.id}/read`, { messageId: lastRead })
  for (let number = 1; number <= 70; number += 1) await postMessage(ann, general.id, `news ${number}`)
  const { page, problems } = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  await page.getByText('news 70', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More than 50 new messages' }).click()
  await newMarker(page).waitFor()
  await page.getByText('news 1', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Jump to the latest' }).click()
  await page.getByText('news 70', { exact: true }).waitFor()
  await page.getByRole('button', { name: '70 new messages' }).waitFor()
  await page.getByRole('button', { name: 'Mark as read' }).click()
  await page.getByRole('button', { name: '70 new messages' }).waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('a message that arrives while the list is scrolled up stays unread until the list is at its end', async t => {
  const service = await startService(t)
  const { ann, bob, server, general } = await createCommunity(service)
  for (let number = 1; number <= 40; number += 1) await postMessage(ann, general.id, `news ${number}`)
  const { page, problems, connected } = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  await page.getByText('news 40', { exact: true }).waitFor()
  await connected
  await waitForListEnd(page)
  await scrollToStart(page)
  await page.getByRole('button', { name: 'Jump to the latest' }).waitFor()
  await postMessage(ann, general.id, `<@${bob.id}> hello?`)
  await channelItem(page, 'general').locator('.count').getByText('1').waitFor()
  await page.getByRole('button', { name: '1 new message', exact: true }).click()
  await channelItem(page, 'general').locator('.count').waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('a changed display name appears in all windows of the user and of other members', async t => {
  const service = await startService(t)
  const { ann, bob, server, general } = await createCommunity(service)
  await postMessage(ann, general.id, 'ahoy')
  const direct = await bob.client.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
  const bobWindow = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  const directWindow = await openAs(t, service, bob, `/channels/@me/${direct.body.id}`)
  const annWindow = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  for (const { page } of [bobWindow, annWindow]) await page.getByText('ahoy').waitFor()
  await directWindow.page.getByRole('heading', { name: 'ann' }).first().waitFor()
  await Promise.all([bobWindow, directWindow, annWindow].map(({ connected }) => connected))
  await ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann of the Sea' })
  const messages = (page: Page) => page.getByLabel('Messages in general')
  for (const { page } of [bobWindow, annWindow]) await messages(page).getByText('Ann of the Sea').waitFor()
  await annWindow.page.getByRole('region', { name: 'Account' }).getByText('Ann of the Sea').waitFor()
  await directWindow.page.getByRole('heading', { name: 'Ann of the Sea' }).first().waitFor()
  assert.deepEqual([...bobWindow.problems, ...annWindow.problems, ...directWindow.problems], [])
})

test('on a narrow screen the button of the channel list shows unread messages', async t => {
  const service = await startService(t)
  const { ann, bob, server, general, second } = await createCommunity(service)
  const { page, problems } = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`, {
    viewport: { width: 360, height: 740 },
  })
  await page.getByRole('button', { name: 'Open channels', exact: true }).waitFor()
  await postMessage(ann, second.id, 'hello')
  const unreadButton = page.getByRole('button', { name: 'Open channels, unread messages' })
  await unreadButton.waitFor()
  assert.equal(await unreadButton.locator('.count').count(), 0)
  await postMessage(ann, second.id, `<@${bob.id}> hello?`)
  await unreadButton.locator('.count').getByText('1').waitFor()
  await bob.client.json('PUT', `/api/channels/${second.id}/read`, {
    messageId: await postMessage(ann, second.id, 'x'),
  })
  await page.getByRole('button', { name: 'Open channels', exact: true }).waitFor()
  assert.deepEqual(problems, [])
})

test('the bar counts no messages that the user sent with another program', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const { ann, server, general } = await createCommunity(service)
  const lastRead = await postMessage(ann, general.id, 'the last that was read')
  await ann.client.json('PUT', `/api/channels/${general.id}/read`, { messageId: lastRead })
  const path = `/channels/${server.id}/${general.id}`
  for (let number = 1; number <= 70; number += 1) await postMessage(ann, general.id, `own ${number}`)
  const { page, problems } = await openAs(t, service, ann, path)
  await page.getByText('own 70', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New messages', exact: true }).click()
  await page.getByText('the last that was read', { exact: true }).waitFor()
  assert.equal(await page.getByText(/\b0 new messages/).count(), 0)
  assert.deepEqual(problems, [])
})
