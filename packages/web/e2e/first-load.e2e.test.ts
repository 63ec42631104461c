import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { launchBrowser } from '../../../tools/browser.ts'
import { found, register } from '../../server/src/platform/testing.ts'
import { startService } from '../../server/src/testing.ts'
import { openAs } from './testing.ts'

const parser = '**/assets/markdown-*.js'
const said = ['Plain words', 'Some **bold** words', '```\nconst answer = 42\n```', '> quoted *words*']

async function community(t: TestContext) {
  const service = await startService(t)
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server, general } = await found(ann, bob)
  for (const content of said) {
    const reply = await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content })
    assert.equal(reply.status, 201, reply.text)
  }
  return { service, bob, path: `/channels/${server.id}/${general.id}` }
}

test('no message is shown as it was typed and then drawn: the list waits for the Markdown parser', async t => {
  const { service, bob, path } = await community(t)
  const browser = await launchBrowser(t)
  const { promise: wanted, resolve: ask } = Promise.withResolvers<void>()
  const { promise: given, resolve: give } = Promise.withResolvers<void>()
  const { page, problems } = await openAs(browser, service, bob, path, {}, async page => {
    await page.route(parser, async route => {
      ask()
      await given
      await route.continue()
    })
    // Every state of the document is looked at, more than are painted.
    await page.addInitScript(() => {
      const look = () => {
        for (const { textContent: text } of document.querySelectorAll('.body')) {
          if (/\*|```/.test(text ?? '')) document.documentElement.dataset.raw = text ?? ''
        }
      }
      new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
    })
  })
  await wanted
  await page.locator('.messages-skeleton').waitFor()
  await page.getByRole('textbox', { name: 'general' }).fill('One may write meanwhile')
  assert.equal(await page.locator('.body').count(), 0)

  give()
  await page.locator('.body strong').getByText('bold', { exact: true }).waitFor()
  await page.locator('.body pre').getByText('const answer = 42').waitFor()
  assert.equal(await page.locator('.body').count(), said.length)
  assert.equal(await page.evaluate(() => document.documentElement.dataset.raw ?? ''), '')
  assert.equal(await page.locator('.messages-skeleton').count(), 0)
  assert.deepEqual(problems, [])
})

test('without the Markdown parser texts can be read as they were typed', async t => {
  const { service, bob, path } = await community(t)
  const browser = await launchBrowser(t)
  let loads = 0
  const { page, problems } = await openAs(browser, service, bob, path, {}, async page => {
    page.on('request', request => {
      if (request.isNavigationRequest()) loads += 1
    })
    await page.route(parser, route => route.abort())
  })
  await page.locator('.body').getByText('Some **bold** words', { exact: true }).waitFor()
  await page.locator('.body').getByText('const answer = 42').waitFor()
  assert.equal(await page.locator('.body strong').count(), 0)
  assert.equal(loads, 1)
  assert.deepEqual(problems, [])
})
