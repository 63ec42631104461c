import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../tools/browser.ts'
import { found, type Person, register } from '../../server/src/platform/testing.ts'
import { startService, type TestService } from '../../server/src/testing.ts'
import { openAs } from './testing.ts'

async function say({ client }: Person, channelId: string, content: string): Promise<string> {
  const reply = await client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

async function community(service: TestService) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await found(ann, bob)
  const second = await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'second' })
  return { ann, bob, server, general, second: second.body as { id: string } }
}

const nav = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Channels' }).getByRole('listitem').filter({ hasText: name })
const rail = (page: Page) => page.getByRole('navigation', { name: 'Servers' })
const newLine = (page: Page) => page.getByRole('heading', { name: 'New', exact: true })

test('marks outlive a reload and follow a person over their windows, and are nobody else’s', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const { ann, bob, server, general, second } = await community(service)
  const at = (channelId: string) => `/channels/${server.id}/${channelId}`
  await say(ann, general.id, 'first')
  await say(ann, second.id, `<@${bob.id}> look`)

  const one = await openAs(browser, service, bob, at(general.id))
  const other = await openAs(browser, service, bob, '/channels/@me')
  const hers = await openAs(browser, service, ann, at(general.id))
  await nav(one.page, 'second').locator('.count').getByText('1').waitFor()
  await one.page.reload()
  await nav(one.page, 'second').locator('.count').getByText('1').waitFor()
  await rail(other.page).locator('.count').getByText('1').waitFor()
  await rail(other.page).getByRole('link', { name: 'Server, unread messages' }).waitFor()
  await one.page.waitForFunction(() => document.title.startsWith('(1) '))
  await nav(hers.page, 'second').waitFor()

  await nav(one.page, 'second').getByRole('link').first().click()
  await newLine(one.page).waitFor()
  await nav(one.page, 'second').locator('.count').waitFor({ state: 'detached' })
  await rail(other.page).getByRole('link', { name: 'Server', exact: true }).waitFor()
  await one.page.waitForFunction(() => document.title.startsWith('#second'))

  // What is said while one looks is read as it comes; the other window knows.
  await say(ann, second.id, `<@${bob.id}> and now?`)
  await one.page.getByLabel('Messages in second').getByText('and now?').waitFor()
  await say(ann, general.id, 'third')
  await nav(one.page, 'general').getByText('unread messages').waitFor()
  await rail(other.page).getByRole('link', { name: 'Server, unread messages' }).waitFor()
  await rail(other.page).locator('.count').waitFor({ state: 'detached' })
  await nav(one.page, 'general').getByRole('link').first().click()
  await rail(other.page).getByRole('link', { name: 'Server', exact: true }).waitFor()
  await one.page.reload()
  await one.page.getByLabel('Messages in general').getByText('third').waitFor()
  assert.equal(await newLine(one.page).count(), 0)

  // What Bob has read is Bob's: Ann was in `general`, and in no other channel.
  await hers.page.getByLabel('Messages in general').getByText('third').waitFor()
  await hers.page.reload()
  await nav(hers.page, 'second').getByText('unread messages').waitFor()
  assert.equal(await nav(hers.page, 'general').getByText('unread messages').count(), 0)
  assert.deepEqual([...one.problems, ...other.problems, ...hers.problems], [])
})

test('a long absence: the line is further up, and a bar leads there', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const { ann, bob, server, general } = await community(service)
  const read = await say(ann, general.id, 'the last that was read')
  await bob.client.json('PUT', `/api/channels/${general.id}/read`, { messageId: read })
  for (let number = 1; number <= 70; number += 1) await say(ann, general.id, `news ${number}`)
  const { page, problems } = await openAs(browser, service, bob, `/channels/${server.id}/${general.id}`)
  await page.getByText('news 70', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More than 50 new messages' }).click()
  await newLine(page).waitFor()
  await page.getByText('news 1', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Jump to the latest' }).click()
  await page.getByText('news 70', { exact: true }).waitFor()
  await page.getByRole('button', { name: '70 new messages' }).waitFor()
  await page.getByRole('button', { name: 'Put the mark of new messages away' }).click()
  await page.getByRole('button', { name: '70 new messages' }).waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('what comes while one reads further up stays unread until one is at the end', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const { ann, bob, server, general } = await community(service)
  for (let number = 1; number <= 40; number += 1) await say(ann, general.id, `news ${number}`)
  const { page, problems } = await openAs(browser, service, bob, `/channels/${server.id}/${general.id}`)
  await page.getByText('news 40', { exact: true }).waitFor()
  await page.getByLabel('Messages in general').evaluate(list => list.scrollTo({ top: 0 }))
  await page.getByRole('button', { name: 'Jump to the latest' }).waitFor()
  await say(ann, general.id, `<@${bob.id}> hello?`)
  await nav(page, 'general').locator('.count').getByText('1').waitFor()
  await page.getByRole('button', { name: '1 new message', exact: true }).click()
  await nav(page, 'general').locator('.count').waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('a changed name and picture are seen at once, by oneself and by others', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const { ann, bob, server, general } = await community(service)
  await say(ann, general.id, 'ahoy')
  const direct = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: bob.id })
  const his = await openAs(browser, service, bob, `/channels/${server.id}/${general.id}`)
  const inDirect = await openAs(browser, service, bob, `/channels/@me/${direct.body.id}`)
  const hers = await openAs(browser, service, ann, `/channels/${server.id}/${general.id}`)
  for (const { page } of [his, hers]) await page.getByText('ahoy').waitFor()
  await inDirect.page.getByRole('heading', { name: 'ann' }).first().waitFor()
  await ann.client.json('PATCH', '/api/users/@me', { displayName: 'Ann of the Sea' })
  const messages = (page: Page) => page.getByLabel('Messages in general')
  for (const { page } of [his, hers]) await messages(page).getByText('Ann of the Sea').waitFor()
  await hers.page.getByRole('region', { name: 'Account' }).getByText('Ann of the Sea').waitFor()
  await inDirect.page.getByRole('heading', { name: 'Ann of the Sea' }).first().waitFor()
  assert.deepEqual([...his.problems, ...hers.problems, ...inDirect.problems], [])
})

test('on a narrow screen the button of the lists says that something waits there', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const { ann, bob, server, general, second } = await community(service)
  const { page, problems } = await openAs(browser, service, bob, `/channels/${server.id}/${general.id}`, {
    viewport: { width: 360, height: 740 },
  })
  await page.getByRole('button', { name: 'Open channels', exact: true }).waitFor()
  await say(ann, second.id, 'hello')
  const waits = page.getByRole('button', { name: 'Open channels, unread messages' })
  await waits.waitFor()
  assert.equal(await waits.locator('.count').count(), 0)
  await say(ann, second.id, `<@${bob.id}> hello?`)
  await waits.locator('.count').getByText('1').waitFor()
  await bob.client.json('PUT', `/api/channels/${second.id}/read`, {
    messageId: await say(ann, second.id, 'x'),
  })
  await page.getByRole('button', { name: 'Open channels', exact: true }).waitFor()
  assert.deepEqual(problems, [])
})
