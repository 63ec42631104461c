import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchBrowser } from '../../../tools/browser.ts'
import { found, register } from '../../server/src/platform/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { atEnd, openAs } from './testing.ts'

test('who reads at the end stays there while the composer grows and shrinks; who reads elsewhere is not moved', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await found(ann, bob)
  const say = async (content: string) => {
    const reply = await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content })
    assert.equal(reply.status, 201, reply.text)
  }
  const tall = Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n')
  for (const name of ['first', 'second', 'third']) await say(`${name}\n${tall}`)
  const { page, problems } = await openAs(browser, service, bob, `/channels/${server.id}/${general.id}`)
  const list = page.getByLabel('Messages in general')
  const composer = page.getByRole('textbox', { name: 'general' })
  const jump = page.locator('.jump')
  const left = () => list.evaluate(element => element.scrollHeight - element.scrollTop - element.clientHeight)
  await list.getByText('third').waitFor()
  await atEnd(page)

  const before = (await list.boundingBox())?.height ?? 0
  await composer.focus()
  await page.keyboard.insertText(tall)
  await atEnd(page)
  assert.ok(((await list.boundingBox())?.height ?? 0) < before - 100)
  assert.equal(await jump.count(), 0)
  await say('while one writes')
  await list.getByText('while one writes').waitFor()
  await atEnd(page)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('Delete')
  await atEnd(page)
  assert.equal(await jump.count(), 0)

  await list.evaluate(element => element.scrollBy(0, -300))
  await jump.waitFor()
  const top = await list.evaluate(element => element.scrollTop)
  await page.keyboard.insertText(tall)
  await page.waitForFunction(
    height => (document.querySelector('.messages')?.clientHeight ?? 0) < height,
    before,
  )
  assert.equal(await list.evaluate(element => element.scrollTop), top)
  assert.ok((await left()) > 300)
  assert.deepEqual(problems, [])
})

test('the composer grows with what one writes in a browser that does not know `field-sizing`', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  const at = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(browser, service, ann, at, {}, async page => {
    await page.addInitScript(() => {
      const knows = CSS.supports.bind(CSS)
      CSS.supports = (name: string, value?: string) =>
        name !== 'field-sizing' && (value === undefined ? knows(name) : knows(name, value))
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('* { field-sizing: fixed !important }')
      document.adoptedStyleSheets = [sheet]
    })
  })
  const composer = page.getByRole('textbox', { name: 'general' })
  const height = () => composer.evaluate(element => element.clientHeight)
  await composer.focus()
  const one = await height()
  await page.keyboard.insertText('one\ntwo\nthree\nfour')
  const four = await height()
  assert.ok(four > one * 2, `${four} pixels after ${one}`)
  await page.keyboard.insertText('\nmore'.repeat(100))
  assert.ok((await height()) <= 720 * 0.4)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('Delete')
  assert.equal(await height(), one)
  assert.deepEqual(problems, [])
})

test('the arrow up edits what one has just sent, once it has arrived, and not the one before', async t => {
  const service = await startService(t)
  const browser = await launchBrowser(t)
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'The one before' })
  const { page, problems } = await openAs(browser, service, ann, `/channels/${server.id}/${general.id}`)
  await page.locator('.body').getByText('The one before').waitFor()
  const arrives = Promise.withResolvers<void>()
  await page.route('**/api/channels/*/messages', route => arrives.promise.then(() => route.continue()))
  const composer = page.getByRole('textbox', { name: 'general' })
  const box = page.getByRole('textbox', { name: 'Edit message' })
  await composer.fill('Hallo')
  await composer.press('Enter')
  await page.locator('.sending').getByText('Hallo').waitFor()
  await composer.press('ArrowUp')
  assert.equal(await box.count(), 0)
  arrives.resolve()
  await box.fill('Hello')
  await box.press('Enter')
  await page.locator('.body').getByText('Hello', { exact: true }).waitFor()
  assert.deepEqual(await page.locator('.messages .body').allInnerTexts(), ['The one before', 'Hello'])
  assert.deepEqual(problems, [])
})
