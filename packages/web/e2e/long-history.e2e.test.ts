import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../tools/browser.ts'
import { found, type Person, register } from '../../server/src/platform/testing.ts'
import { startService, type TestService } from '../../server/src/testing.ts'
import { runSize } from '../src/chat/run.ts'
import { openAs } from './testing.ts'

const count = 2600
/** More than the pages around a jump. */
const fewer = 400
/** What a row of one line takes in the list, at most. */
const rowHeight = 62

async function say({ client }: Person, channelId: string, content: string): Promise<string> {
  const reply = await client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

interface Said {
  id: string
  content: string
}

/** Says many things, several at a time, and answers them in the order in which the service has them. */
async function fill(person: Person, channelId: string, count: number): Promise<Said[]> {
  const left = Array.from({ length: count }, (_, number) => `message ${number}`).reverse()
  const talk = async () => {
    for (let text = left.pop(); text !== undefined; text = left.pop()) await say(person, channelId, text)
  }
  await Promise.all(Array.from({ length: 8 }, talk))
  const said: Said[] = []
  let before = ''
  for (;;) {
    const reply = await person.client.json('GET', `/api/channels/${channelId}/messages?limit=100${before}`)
    const page: Said[] = reply.body
    said.push(...page)
    const last = page.at(-1)
    if (page.length < 100 || !last) return said.reverse()
    before = `&before=${last.id}`
  }
}

async function community(service: TestService, count: number) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await found(ann, bob)
  const said = await fill(ann, general.id, count)
  const texts = said.map(({ content }) => content)
  assert.equal(new Set(texts).size, count)
  return { ann, bob, general, said, texts, path: `/channels/${server.id}/${general.id}` }
}

interface View {
  texts: string[]
  /** Of all that is loaded, as it is reckoned with. */
  height: number
  atStart: boolean
  atEnd: boolean
}

/** What is seen of the messages, once there are any, after the list was scrolled by so many pixels. */
function scrolled(page: Page, by: number): Promise<View> {
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
      const waits = [...list.querySelectorAll('.older')].some(row => {
        const box = row.getBoundingClientRect()
        return box.bottom > top - 200 && box.top < bottom + 200
      })
      if (texts.length === 0) continue
      return {
        texts,
        height: list.scrollHeight,
        atStart: list.scrollTop <= 0 && !waits,
        atEnd: list.scrollTop + list.clientHeight >= list.scrollHeight - 1 && !waits,
      }
    }
  }, by)
}

const messageIn = (text: string) => /message (?:\d+|live|mine)/.exec(text)?.[0] ?? text

async function seen(page: Page): Promise<string[]> {
  return (await scrolled(page, 0)).texts.map(messageIn)
}

/** Scrolls to the end that `done` knows. Whatever is seen on the way follows on what was seen before, without a gap. */
async function walk(
  page: Page,
  texts: string[],
  by: number,
  done: (view: View) => boolean,
): Promise<Set<string>> {
  const passed = new Set<string>()
  let before: number | undefined
  for (let steps = 0; steps < count; steps += 1) {
    const view = await scrolled(page, before === undefined ? 0 : by)
    const words = view.texts.map(messageIn)
    const from = texts.indexOf(words[0] ?? '')
    assert.deepEqual(words, texts.slice(from, from + words.length), 'all in order, and each once')
    if (before !== undefined) assert.ok(Math.abs(from - before) < 40, `from ${before} to ${from}`)
    assert.ok(view.height < (runSize.most + 150) * rowHeight * 0.6, `${view.height} px`)
    before = from
    for (const word of words) passed.add(word)
    if (done(view)) return passed
  }
  throw new Error('No end was reached.')
}

test('a long history: up to its start and back, each message once, with a bounded part of them loaded', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const browser = await launchBrowser(t)
  const { ann, bob, general, texts, path } = await community(service, count)
  const { page, problems } = await openAs(browser, service, bob, path)
  await page.getByText(texts.at(-1) ?? '', { exact: true }).waitFor()
  const up = await walk(page, texts, -500, ({ atStart }) => atStart)
  assert.equal(up.size, count)

  // What is said meanwhile is counted, and stands at the end, after what is there between.
  await say(ann, general.id, 'message live')
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor()
  assert.equal(await page.getByLabel('Messages in general').getByText('message live').count(), 0)
  texts.push('message live')
  const down = await walk(page, texts, 500, ({ atEnd }) => atEnd)
  assert.equal(down.size, count + 1)
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('far from the present: a jump to what is new, what one says oneself, and the way back', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const browser = await launchBrowser(t)
  const { ann, bob, general, said, texts, path } = await community(service, fewer)
  await bob.client.json('PUT', `/api/channels/${general.id}/read`, { messageId: said[19]?.id })
  const { page, problems } = await openAs(browser, service, bob, path)
  const list = page.getByLabel('Messages in general')
  const line = page.getByRole('heading', { name: 'New', exact: true })
  const text = (at: number) => list.getByText(texts.at(at) ?? '', { exact: true })
  const toLatest = page.getByRole('button', { name: 'Jump to the latest' })
  await text(-1).waitFor()
  await page.getByRole('button', { name: 'More than 50 new messages' }).click()
  await line.waitFor()
  await text(20).waitFor()
  assert.equal(await text(-1).count(), 0)

  await toLatest.click()
  await text(-1).waitFor()
  await toLatest.waitFor({ state: 'detached' })
  assert.equal(await line.count(), 0)

  // Up again: what comes is read only at the end, and what one says oneself leads there.
  await page.getByRole('button', { name: 'More than 50 new messages' }).click()
  await line.waitFor()
  await say(ann, general.id, 'message live')
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'general' }).fill('message mine')
  await page.keyboard.press('Enter')
  await list.getByText('message mine', { exact: true }).waitFor()
  assert.deepEqual((await seen(page)).slice(-3), [texts.at(-1), 'message live', 'message mine'])
  assert.deepEqual(problems, [])
})
