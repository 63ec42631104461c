import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startService, type TestService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { rangeSize } from '../src/core/stores/message-range.ts'
import { openAs, waitForValue } from './testing.ts'

const count = 2600
/** Enough messages that a jump does not load all of them. */
const shortCount = 400
/** The greatest height of a message of one line, in pixels. */
const rowHeight = 62

async function postMessage({ client }: TestUser, channelId: string, content: string): Promise<string> {
  const reply = await client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

interface Posted {
  id: string
  content: string
}

/** Posts `count` messages, eight at a time, and returns them in the order of the service. */
async function postMessages(user: TestUser, channelId: string, count: number): Promise<Posted[]> {
  const remaining = Array.from({ length: count }, (_, number) => `message ${number}`).reverse()
  const worker = async () => {
    for (let text = remaining.pop(); text !== undefined; text = remaining.pop())
      await postMessage(user, channelId, text)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  const posted: Posted[] = []
  let before = ''
  for (;;) {
    const reply = await user.client.json('GET', `/api/channels/${channelId}/messages?limit=100${before}`)
    const page: Posted[] = reply.body
    posted.push(...page)
    const last = page.at(-1)
    if (page.length < 100 || !last) return posted.reverse()
    before = `&before=${last.id}`
  }
}

async function createCommunity(service: TestService, count: number) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const posted = await postMessages(ann, general.id, count)
  const texts = posted.map(({ content }) => content)
  assert.equal(new Set(texts).size, count)
  return { ann, bob, general, posted, texts, path: `/channels/${server.id}/${general.id}` }
}

interface View {
  texts: string[]
  /** The scroll height of the loaded messages in pixels, partly estimated. */
  height: number
  atStart: boolean
  atEnd: boolean
}

/** Scrolls the list by `by` pixels, waits until messages are visible and returns them. */
function scrollBy(page: Page, by: number): Promise<View> {
  return page.getByLabel('Messages in general').evaluate(async (list, pixels) => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    list.scrollBy(0, pixels)
    for (;;) {
      await frame()
      await frame()
      const { top, bottom } = list.getBoundingClientRect()
      const texts = [...list.querySelectorAll('.messages-row .message')]
        .filter(row => {
          const box = row.getBoundingClientRect()
          return box.bottom > top + 1 && box.top < bottom - 1
        })
        .map(row => row.querySelector('.message-main')?.textContent ?? '')
      const loading = [...list.querySelectorAll('.loading-row')].some(row => {
        const box = row.getBoundingClientRect()
        return box.bottom > top - 200 && box.top < bottom + 200
      })
      if (texts.length === 0) continue
      return {
        texts,
        height: list.scrollHeight,
        atStart: list.scrollTop <= 0 && !loading,
        atEnd: list.scrollTop + list.clientHeight >= list.scrollHeight - 1 && !loading,
      }
    }
  }, by)
}

const messageIn = (text: string) => /message (?:\d+|live|mine)/.exec(text)?.[0] ?? text

async function visibleTexts(page: Page): Promise<string[]> {
  return (await scrollBy(page, 0)).texts.map(messageIn)
}

/** Scrolls in steps until `done` returns true. Asserts that the messages are in order, without gaps or duplicates. */
async function scrollThrough(
  page: Page,
  texts: string[],
  by: number,
  done: (view: View) => boolean,
): Promise<Set<string>> {
  const seen = new Set<string>()
  let before: number | undefined
  for (let steps = 0; steps < count; steps += 1) {
    const view = await scrollBy(page, before === undefined ? 0 : by)
    const visible = view.texts.map(messageIn)
    const start = texts.indexOf(visible[0] ?? '')
    assert.deepEqual(visible, texts.slice(start, start + visible.length), 'in order, without duplicates')
    if (before !== undefined) assert.ok(Math.abs(start - before) < 40, `from ${before} to ${start}`)
    assert.ok(view.height < (rangeSize.max + 150) * rowHeight * 0.6, `${view.height} px`)
    before = start
    for (const word of visible) seen.add(word)
    if (done(view)) return seen
  }
  throw new Error('The end was not reached.')
}

test('scrolls through a long history in both directions, with a bounded number of messages loaded', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const { ann, bob, general, texts, path } = await createCommunity(service, count)
  const { page, problems, connected } = await openAs(t, service, bob, path)
  await connected
  await page.getByText(texts.at(-1) ?? '', { exact: true }).waitFor()
  const up = await scrollThrough(page, texts, -500, ({ atStart }) => atStart)
  assert.equal(up.size, count)

  // A message that arrives meanwhile is counted and is not in the list until the end is reached.
  await postMessage(ann, general.id, 'message live')
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor()
  assert.equal(await page.getByLabel('Messages in general').getByText('message live').count(), 0)
  texts.push('message live')
  const down = await scrollThrough(page, texts, 500, ({ atEnd }) => atEnd)
  assert.equal(down.size, count + 1)
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('jumps to the first unread message, to the latest message, and to a message of the user', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const { ann, bob, general, posted, texts, path } = await createCommunity(service, shortCount)
  await bob.client.json('PUT', `/api/channels/${general.id}/read`, { messageId: posted[19]?.id })
  const { page, problems, connected } = await openAs(t, service, bob, path)
  await connected
  const list = page.getByLabel('Messages in general')
  const newLine = page.getByRole('heading', { name: 'New', exact: true })
  const text = (at: number) => list.getByText(texts.at(at) ?? '', { exact: true })
  const toLatest = page.getByRole('button', { name: 'Jump to the latest' })
  await text(-1).waitFor()
  await page.getByRole('button', { name: 'More than 50 new messages' }).click()
  await newLine.waitFor()
  await text(20).waitFor()
  assert.equal(await text(-1).count(), 0)

  await toLatest.click()
  await text(-1).waitFor()
  await toLatest.waitFor({ state: 'detached' })
  assert.equal(await newLine.count(), 0)

  // Away from the end, a new message stays unread, and sending a message jumps to the end.
  await page.getByRole('button', { name: 'More than 50 new messages' }).click()
  await newLine.waitFor()
  await postMessage(ann, general.id, 'message live')
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'general' }).fill('message mine')
  await page.keyboard.press('Enter')
  await list.getByText('message mine', { exact: true }).waitFor()
  await waitForValue(
    async () => (await visibleTexts(page)).slice(-3),
    [texts.at(-1) ?? '', 'message live', 'message mine'],
  )
  assert.deepEqual(problems, [])
})
