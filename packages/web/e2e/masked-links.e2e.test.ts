import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import type { Locator } from 'playwright-core'
import { openAs } from './testing.ts'

const evil = 'https://evil.example/login?next=%2F'

const rulesUrl = 'https://rules.example/1'

/** Opens a channel with links of each kind: in text, on a button and in an embed. */
async function openLinks(t: TestContext) {
  const service = await startService(t)
  const { owner, bot, serverId, channelId } = await createWorld(service)
  const content =
    `[bank.example](${evil}) https://direct.example/a [wiki.example](https://wiki.example) ` +
    `[our terms](${evil})`
  const sent = await owner.client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(sent.status, 201, sent.text)
  const button = { type: 'button', style: 'link', label: 'Rules', url: rulesUrl }
  await bot.json('POST', `/api/channels/${channelId}/messages`, {
    content: 'Read them',
    components: [{ type: 'row', components: [button] }],
  })
  const webhook = await owner.client.json('POST', `/api/channels/${channelId}/webhooks`, { name: 'Builds' })
  const posted = await owner.client.json('POST', new URL(webhook.body.url).pathname, {
    embeds: [
      {
        title: 'Build 42',
        url: 'https://builds.example/42',
        author: { name: 'octocat', url: 'https://people.example/octocat' },
      },
    ],
  })
  assert.equal(posted.status, 204, posted.text)
  const opened = await openAs(t, service, owner, `/channels/${serverId}/${channelId}`)
  const context = opened.page.context()
  await context.route(/^https:/, route => route.fulfill({ contentType: 'text/plain', body: 'opened' }))
  return {
    ...opened,
    context,
    messages: opened.page.getByLabel('Messages in general'),
    dialog: opened.page.getByRole('alertdialog', { name: 'Open this link?' }),
  }
}

test('a link whose text is not its URL shows its host (community/masked-links)', async t => {
  const { page, problems, messages } = await openLinks(t)
  const masked = messages.getByRole('link', { name: 'bank.example (evil.example)' })
  // The host is always visible if the text looks like an address, otherwise on hover and focus.
  assert.equal(await isHostVisible(masked), true, 'the text looks like an address')
  const terms = messages.getByRole('link', { name: 'our terms (evil.example)' })
  assert.equal(await isHostVisible(terms), false, 'the text does not look like an address')
  await terms.hover()
  assert.equal(await isHostVisible(terms), true, 'on hover')
  await masked.hover()
  assert.equal(await isHostVisible(terms), false, 'without hover')
  await terms.focus()
  assert.equal(await isHostVisible(terms), true, 'on focus')
  const rules = messages.getByRole('link', { name: 'Rules' })
  assert.equal(await rules.getAttribute('title'), rulesUrl)
  assert.equal(await page.getByRole('alertdialog').count(), 0, 'dialogs')
  assert.deepEqual(problems, [])
})

test('a link whose text is not its URL asks before it opens (community/masked-links)', async t => {
  const { page, problems, context, messages, dialog } = await openLinks(t)
  const masked = messages.getByRole('link', { name: 'bank.example (evil.example)' })
  await masked.click()
  await dialog.getByText('You are about to open evil.example.').waitFor()
  await dialog.getByText(evil).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(context.pages().length, 1, 'pages after Cancel')

  for (const open of [
    () => masked.click({ button: 'middle' }),
    () => masked.click({ modifiers: ['ControlOrMeta'] }),
    () => masked.press('Enter'),
  ]) {
    await open()
    const opened = context.waitForEvent('page')
    await dialog.getByRole('button', { name: 'Open' }).click()
    const other = await opened
    await other.waitForURL(evil)
    assert.equal(await other.evaluate(() => window.opener), null, 'window.opener')
    assert.equal(await other.evaluate(() => document.referrer), '', 'document.referrer')
    await other.close()
    await dialog.waitFor({ state: 'detached' })
  }

  for (const [name, host] of [
    ['Build 42 (builds.example)', 'builds.example'],
    ['octocat (people.example)', 'people.example'],
    ['Rules (rules.example)', 'rules.example'],
  ] as const) {
    await messages.getByRole('link', { name }).click()
    await dialog.getByText(`You are about to open ${host}.`).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }

  for (const [name, url] of [
    ['https://direct.example/a', 'https://direct.example/a'],
    ['wiki.example', 'https://wiki.example/'],
  ] as const) {
    const opened = context.waitForEvent('page')
    await messages.getByRole('link', { name, exact: true }).click()
    const other = await opened
    await other.waitForURL(url)
    await other.close()
  }
  assert.equal(await dialog.count(), 0, 'dialogs of links whose text is their URL')
  assert.deepEqual(problems, [])
})

const isHostVisible = (link: Locator) =>
  link.locator('bdi').evaluate(host => getComputedStyle(host).clipPath === 'none')
