import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForListEnd, waitForValue } from './testing.ts'

test('keeps the list at its end, or at its scroll position, while the composer grows and shrinks', async t => {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await createServer(ann, bob)
  const postMessage = async (content: string) => {
    const reply = await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content })
    assert.equal(reply.status, 201, reply.text)
  }
  const tallText = Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n')
  for (const name of ['first', 'second', 'third']) await postMessage(`${name}\n${tallText}`)
  const { page, problems, connected } = await openAs(t, service, bob, `/channels/${server.id}/${general.id}`)
  await connected
  const list = page.getByLabel('Messages in general')
  const composer = page.getByRole('textbox', { name: 'general' })
  const jump = page.locator('.jump')
  const distanceFromEnd = () =>
    list.evaluate(element => element.scrollHeight - element.scrollTop - element.clientHeight)
  await list.getByText('third').waitFor()
  await waitForListEnd(page)

  const before = (await list.boundingBox())?.height ?? 0
  await composer.focus()
  await page.keyboard.insertText(tallText)
  await waitForListEnd(page)
  assert.ok(((await list.boundingBox())?.height ?? 0) < before - 100)
  assert.equal(await jump.count(), 0)
  await postMessage('while typing')
  await list.getByText('while typing').waitFor()
  await waitForListEnd(page)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('Delete')
  await waitForListEnd(page)
  assert.equal(await jump.count(), 0)

  // Repeated, because the list ignores a scroll while its layout changes.
  await page.waitForFunction(() => {
    const element = document.querySelector('.messages')
    element?.scrollTo({ top: element.scrollHeight - element.clientHeight - 300 })
    return document.querySelector('.jump')
  })
  const top = await list.evaluate(element => element.scrollTop)
  await page.keyboard.insertText(tallText)
  await page.waitForFunction(
    height => (document.querySelector('.messages')?.clientHeight ?? 0) < height,
    before,
  )
  await waitForValue(() => list.evaluate(element => element.scrollTop), top)
  assert.ok((await distanceFromEnd()) > 300)
  assert.deepEqual(problems, [])
})

test('the composer grows with its text in a browser without `field-sizing`', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const path = `/channels/${server.id}/${general.id}`
  const { page, problems } = await openAs(t, service, ann, path, {}, async page => {
    await page.addInitScript(() => {
      const supports = CSS.supports.bind(CSS)
      CSS.supports = (name: string, value?: string) =>
        name !== 'field-sizing' && (value === undefined ? supports(name) : supports(name, value))
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('* { field-sizing: fixed !important }')
      document.adoptedStyleSheets = [sheet]
    })
  })
  const composer = page.getByRole('textbox', { name: 'general' })
  const height = () => composer.evaluate(element => element.clientHeight)
  await composer.focus()
  const heightOfOne = await height()
  await page.keyboard.insertText('one\ntwo\nthree\nfour')
  const heightOfFour = await height()
  assert.ok(heightOfFour > heightOfOne * 2, `${heightOfFour} pixels after ${heightOfOne}`)
  await page.keyboard.insertText('\nmore'.repeat(100))
  assert.ok((await height()) <= 720 * 0.4)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('Delete')
  assert.equal(await height(), heightOfOne)
  assert.deepEqual(problems, [])
})

test('Arrow Up edits the message that was just sent, but only after its request has succeeded', async t => {
  const service = await startService(t)
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'Previous message' })
  const { page, problems } = await openAs(t, service, ann, `/channels/${server.id}/${general.id}`)
  await page.locator('.body').getByText('Previous message').waitFor()
  const released = Promise.withResolvers<void>()
  await page.route('**/api/channels/*/messages', route => released.promise.then(() => route.continue()))
  const composer = page.getByRole('textbox', { name: 'general' })
  const editBox = page.getByRole('textbox', { name: 'Edit message' })
  await composer.fill('Hallo')
  await composer.press('Enter')
  await page.locator('.sending').getByText('Hallo').waitFor()
  await composer.press('ArrowUp')
  assert.equal(await editBox.count(), 0)
  released.resolve()
  await editBox.fill('Hello')
  await editBox.press('Enter')
  await page.locator('.body').getByText('Hello', { exact: true }).waitFor()
  assert.deepEqual(await page.locator('.messages .body').allInnerTexts(), ['Previous message', 'Hello'])
  assert.deepEqual(problems, [])
})
