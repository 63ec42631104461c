import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService, type TestClient } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { hostileTexts } from '../src/features/chat/testing.ts'
import { openAs } from './testing.ts'

async function createCommunity(t: TestContext) {
  const service = await startService(t)
  const { owner, bot, ann, serverId, channelId } = await createWorld(service)
  const request = async (client: Pick<TestClient, 'json'>, method: string, path: string, body: unknown) => {
    const reply = await client.json(method, path, body)
    assert.ok(reply.status < 300, reply.text)
  }
  const channel = `/api/channels/${channelId}`
  return {
    service,
    ann,
    path: `/channels/${serverId}/${channelId}`,
    post: (content: string) => request(owner.client, 'POST', `${channel}/messages`, { content }),
    postEmbed: (embed: object) =>
      request(bot, 'POST', `${channel}/messages`, { content: '', embeds: [embed] }),
    setTopic: (topic: string) => request(owner.client, 'PATCH', channel, { topic }),
    createChannel: (name: string) =>
      request(owner.client, 'POST', `/api/servers/${serverId}/channels`, { name }),
  }
}

/** The depth and the number of elements of the largest message. */
function measureMessages(page: Page): Promise<{ depth: number; elements: number }> {
  return page.getByRole('article').evaluateAll(articles => {
    let depth = 0
    const levelOf = (element: Element, article: Element) => {
      let level = 0
      for (
        let current: Element | null = element;
        current !== article;
        current = current?.parentElement ?? null
      )
        level++
      return level
    }
    for (const article of articles)
      for (const leaf of article.querySelectorAll(':not(:has(*))'))
        depth = Math.max(depth, levelOf(leaf, article))
    return { depth, elements: Math.max(...articles.map(article => article.querySelectorAll('*').length)) }
  })
}

test('text that is made to be slow or deep is shown (community/bounded-markdown)', async t => {
  const { service, ann, post, postEmbed, setTopic, path } = await createCommunity(t)
  const { page, problems, connected } = await openAs(t, service, ann, path)
  await connected
  const messages = page.getByLabel('Messages in general')
  /** Begins with a character that is not white space, because texts must not be empty. */
  const cut = (text: string, length: number) => `x${text.slice(0, length - 1)}`.toWellFormed()
  const postAll = [
    ...['- ', '1. ', '> ', '> - 1. '].map(unit => () => post(`${unit.repeat(999).slice(0, 1998)}x`)),
    () => postEmbed({ description: `${'- '.repeat(2047)}x` }),
    ...hostileTexts(40, 2000)
      .filter(text => text.trim() !== '')
      .map(text => () => post(text)),
    ...hostileTexts(24, 4096).map(
      text => () =>
        postEmbed({
          title: cut(text, 256),
          description: cut(text, 4096),
          fields: [{ name: cut(text, 256), value: cut(text, 1024) }],
        }),
    ),
    ...hostileTexts(3, 1024).map(text => () => setTopic(text)),
  ]
  // The list renders a few messages outside of its viewport.
  for (let first = 0; first < postAll.length; first += 4) {
    await Promise.all(postAll.slice(first, first + 4).map(postOne => postOne()))
    await post(`reached ${first}`)
    await messages.getByText(`reached ${first}`, { exact: true }).waitFor()
    const { depth, elements } = await measureMessages(page)
    assert.ok(
      depth <= 60 && elements <= 6000,
      `messages from ${first}: ${depth} levels, ${elements} elements`,
    )
  }
  await page.getByLabel('Message #general').fill('still here')
  await page.keyboard.press('Enter')
  await messages.getByText('still here', { exact: true }).waitFor()
  assert.equal(await page.getByText('This message cannot be shown.').count(), 0)
  assert.deepEqual(problems, [])
})

test('a message that cannot be rendered is one notice (community/broken-message)', async t => {
  const { service, ann, post, path } = await createCommunity(t)
  for (const text of ['before', 'broken', 'after']) await post(text)
  // No request can store such a message.
  const { page } = await openAs(t, service, ann, path, {}, async page => {
    await page.route('**/messages?*', async route => {
      const messages: { content: string }[] = await (await route.fetch()).json()
      await route.fulfill({
        json: messages.map(message =>
          message.content === 'broken' ? { ...message, embeds: null } : message,
        ),
      })
    })
  })
  const messages = page.getByLabel('Messages in general')
  await messages.getByText('This message cannot be shown.').waitFor()
  assert.equal(await messages.getByText('This message cannot be shown.').count(), 1)
  for (const text of ['before', 'after']) await messages.getByText(text, { exact: true }).waitFor()
  await page.getByLabel('Message #general').fill('still here')
  await page.keyboard.press('Enter')
  await messages.getByText('still here', { exact: true }).waitFor()
})

test('a part of the page that cannot be rendered leaves the others usable', async t => {
  const { service, ann, createChannel, path } = await createCommunity(t)
  await createChannel('harbour')
  const { page } = await openAs(t, service, ann, path, {}, async page => {
    await page.route('**/members?*', async route => {
      const members: object[] = await (await route.fetch()).json()
      await route.fulfill({ json: members.map(member => ({ ...member, user: null })) })
    })
  })
  await page.getByRole('alert').getByText('Something went wrong in this part of the page.').first().waitFor()
  await page.unroute('**/members?*')
  await page.getByRole('link', { name: 'harbour', exact: true }).click()
  await page.waitForURL(url => !url.pathname.endsWith(path))
  await page.getByRole('link', { name: 'general', exact: true }).waitFor()
})
