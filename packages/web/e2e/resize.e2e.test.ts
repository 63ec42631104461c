import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import type { Page } from 'playwright-core'
import { openAs, waitForListEnd, waitForValue } from './testing.ts'

const changes = 200
const seeds = [1, 2]
const viewport = { width: 1000, height: 640 }

/** Returns a seeded generator of numbers in [0, 1) (mulberry32), so that failures are reproducible. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const sentence = 'The ferry leaves at noon and comes back when the wind allows it.'
const textOf = (number: number) =>
  `${number}: ${Array(1 + (number % 6))
    .fill(sentence)
    .join(' ')}`

async function postMessage({ client }: TestUser, channelId: string, content: string): Promise<void> {
  const reply = await client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(reply.status, 201, reply.text)
}

async function openChannel(t: TestContext) {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const hook = await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'Builds' })
  for (let number = 0; number < 60; number += 1) {
    await postMessage(ann, general.id, textOf(number))
    if (number < 30 || number % 5 > 0) continue
    const embeds = [{ title: `Card ${number}`, image: { url: `https://pictures.example/${number}.svg` } }]
    const reply = await ann.client.json('POST', new URL(hook.body.url).pathname, { content: '', embeds })
    assert.ok(reply.status < 300, reply.text)
  }
  const pendingImages: { url: string; load: () => void }[] = []
  const path = `/channels/${server.id}/${general.id}`
  const { page, problems, connected } = await openAs(t, service, bob, path, { viewport }, async page => {
    await page.route('**/media-proxy?**', async route => {
      const original = new URL(route.request().url()).searchParams.get('url') ?? ''
      const url = Buffer.from(original, 'base64url').toString()
      await new Promise<void>(load => pendingImages.push({ url, load }))
      await route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="280"/>',
      })
    })
  })
  await page.getByText(textOf(59), { exact: true }).waitFor()
  await connected
  await waitForListEnd(page)
  return { ann, general, page, problems, pendingImages }
}

type Channel = Awaited<ReturnType<typeof openChannel>>

/** Resizes the window in many small steps, as dragging its edge does. Messages arrive and images load meanwhile. */
async function dragEdge({ ann, general, page, pendingImages }: Channel, seed: number): Promise<void> {
  const random = seeded(seed)
  const cdp = await page.context().newCDPSession(page)
  const between = (low: number, high: number) => Math.round(low + random() * (high - low))
  const running: Promise<unknown>[] = []
  const resize = (width: number, height: number) =>
    cdp.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
  for (let step = 0; step < changes; step += 1) {
    const width = random() < 0.5 ? viewport.width : between(340, 1300)
    running.push(resize(width, between(260, 900)))
    if (random() < 0.15) running.push(postMessage(ann, general.id, textOf(1000 + step)))
    if (random() < 0.1) pendingImages.shift()?.load()
    await wait(between(0, 50))
  }
  await Promise.all(running)
  await resize(viewport.width, viewport.height)
  await page.waitForFunction(({ width, height }) => innerWidth === width && innerHeight === height, viewport)
  for (const { load } of pendingImages.splice(0)) load()
  await postMessage(ann, general.id, 'The last one')
}

/** The first message whose top edge is in view, and its distance from the top of the list in pixels. */
function firstVisible(page: Page): Promise<{ text: string; top: number }> {
  return page.evaluate(() => {
    const list = document.querySelector('.messages')
    const edge = list?.getBoundingClientRect().top ?? 0
    for (const row of list?.querySelectorAll('.messages-row:has(.message)') ?? []) {
      const top = row.getBoundingClientRect().top - edge
      if (top >= 0) return { text: row.querySelector('.message-main')?.textContent ?? '', top }
    }
    throw new Error('No message is in view.')
  })
}

/** Turns the mouse wheel over the list. Resolves when the scroll animation has ended. */
async function wheel(page: Page, deltaY: number): Promise<void> {
  const handle = await page.evaluateHandle(() => {
    const list = document.querySelector('.messages')
    const start = list?.scrollTop
    const ended = new Promise<void>(resolve =>
      // An earlier scroll of the list to its end can still send its event.
      list?.addEventListener('scrollend', () => list.scrollTop !== start && resolve()),
    )
    return { ended }
  })
  await page.mouse.wheel(0, deltaY)
  await handle.evaluate(({ ended }) => ended)
}

for (const seed of seeds) {
  test(`the list stays at its end while the window is resized, seed ${seed}`, async t => {
    const channel = await openChannel(t)
    const { page, problems } = channel
    await page.evaluate(() => {
      const checkJump = () => document.querySelector('.jump') && document.body.setAttribute('data-left', '')
      new MutationObserver(checkJump).observe(document, { childList: true, subtree: true })
    })
    await dragEdge(channel, seed)
    await page.getByText('The last one', { exact: true }).waitFor()
    await waitForListEnd(page)
    assert.equal(await page.locator('body').getAttribute('data-left'), null)
    assert.deepEqual(problems, [])
  })
}

for (const seed of seeds) {
  test(`a list that is scrolled up keeps its scroll position while the window is resized, seed ${seed}`, async t => {
    const channel = await openChannel(t)
    const { page, problems } = channel
    await page.mouse.move(500, 300)
    await wheel(page, -900)
    await page.getByRole('button', { name: 'Jump to the latest' }).waitFor()
    const before = await firstVisible(page)
    await dragEdge(channel, seed)
    await page.getByRole('log').getByText('The last one').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: /new messages?$/ }).waitFor()
    await waitForValue(
      async () => {
        const after = await firstVisible(page)
        return { ...after, top: Math.round(after.top - before.top) }
      },
      { ...before, top: 0 },
    )
    assert.deepEqual(problems, [])
  })
}

test('an image that loads across the upper edge does not move the messages below it', async t => {
  const { page, problems, pendingImages } = await openChannel(t)
  const card = page.locator('.messages-row', { has: page.getByText('Card 50', { exact: true }) })
  // Repeated, because the list ignores a scroll while its layout changes.
  await page.waitForFunction(
    row => {
      const list = row?.closest('.messages')
      const edge = list?.getBoundingClientRect().top ?? 0
      list?.scrollBy(0, (row?.getBoundingClientRect().top ?? 0) - edge + 30)
      return document.querySelector('.jump')
    },
    await card.elementHandle(),
  )
  await page.getByRole('button', { name: 'Jump to the latest' }).waitFor()
  const before = await firstVisible(page)
  assert.match(before.text, /51: /)
  const height = (await card.boundingBox())?.height ?? 0
  const isRequested = () => pendingImages.some(({ url }) => url.endsWith('/50.svg'))
  await waitForValue(isRequested, true, 'the image is requested')
  for (const { load } of pendingImages) load()
  await page.waitForFunction(
    ([row, low]) => row instanceof Element && row.getBoundingClientRect().height > Number(low) + 100,
    [await card.elementHandle(), height],
  )
  await waitForValue(() => firstVisible(page), before)
  assert.deepEqual(problems, [])
})

test('the mouse wheel scrolls away from the end while messages arrive', async t => {
  const channel = await openChannel(t)
  const { ann, general, page, problems } = channel
  let posting = true
  const postLoop = (async () => {
    for (let number = 0; posting; number += 1) await postMessage(ann, general.id, textOf(number))
  })()
  await page.mouse.move(500, 300)
  for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, -40)
  await page.getByRole('button', { name: /new messages?$/ }).waitFor()
  posting = false
  await postLoop
  await postMessage(ann, general.id, 'The last one')
  await page.getByRole('log').getByText('The last one').waitFor({ state: 'attached' })
  assert.ok(await page.getByRole('button', { name: /new messages?$/ }).isVisible())
  assert.deepEqual(problems, [])
})
