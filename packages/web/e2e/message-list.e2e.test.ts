import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createWorld, type World } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { openAs, scrollToStart, waitForFocus } from './testing.ts'

const components = [
  { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Count', customId: 'count' }] },
]

/** Opens a channel with a message of the bot with a button, and more messages after it than the list renders. */
async function openChannel(t: TestContext) {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const world = await createWorld(service)
  const path = `/api/channels/${world.channelId}/messages`
  const created = await world.bot.json('POST', path, { content: 'Zero', components })
  assert.equal(created.status, 201, created.text)
  const postMessage = ({ client }: World['owner'], content: string) => client.json('POST', path, { content })
  for (let number = 1; number < 45; number += 1) await postMessage(world.ann, `Line ${number}`)
  const opened = await openAs(t, service, world.ann, `/channels/${world.serverId}/${world.channelId}`)
  await opened.connected
  const { page } = opened
  const messages = page.getByLabel('Messages in general')
  await messages.getByText('Line 44', { exact: true }).waitFor()
  await waitForFocus(page, 'Message #general')
  return { ...opened, world, messages, post: (content: string) => postMessage(world.owner, content) }
}

test('a message that is being edited keeps its text while the user scrolls', async t => {
  const { page, problems } = await openChannel(t)
  await page.keyboard.press('ArrowUp')
  await waitForFocus(page, 'Edit message')
  await page.keyboard.type(' and a half')
  await page.getByLabel('Message #general').focus()
  await scrollToStart(page)
  await page.getByText('Zero', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Jump to the latest' }).click()
  const editBox = page.getByLabel('Edit message')
  await editBox.waitFor()
  assert.equal(await editBox.inputValue(), 'Line 44 and a half')
  assert.deepEqual(problems, [])
})

test('the list jumps to its end for a command that was just sent, not for an earlier one or a button', async t => {
  const { world, page, messages, problems, post } = await openChannel(t)
  const { bot } = world
  await page.keyboard.insertText('/ping ')
  await page.getByRole('form', { name: '/ping' }).waitFor()
  await page.keyboard.press('Enter')
  await messages.getByText(/Waiting for/).waitFor()
  world.service.clock.advance(3001)
  await messages.getByText(/did not respond in time/).waitFor()

  await bot.connect()
  await scrollToStart(page)
  await page.getByLabel('Message #general').focus()
  await page.keyboard.insertText('/ping ')
  await page.getByRole('form', { name: '/ping' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/Waiting for/).waitFor()
  await page.locator('.jump').waitFor({ state: 'detached' })

  // When the last command is done, the earlier one is the last again.
  await scrollToStart(page)
  await bot.callback(await bot.event(0), { type: 'message', data: { content: 'Pong' } })
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor()
  await post('later')
  await page.getByRole('button', { name: '2 new messages', exact: true }).waitFor()

  await messages.getByRole('button', { name: 'Count' }).click()
  await bot.callback(await bot.event(1), { type: 'update', data: { content: 'One' } })
  await messages.getByText('One', { exact: true }).waitFor()
  await post('last')
  await page.getByRole('button', { name: '3 new messages', exact: true }).waitFor()
  assert.deepEqual(problems, [])
})

test('copies the text of a message without the clipboard API, which plain HTTP does not have', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  await world.ann.client.json('POST', `/api/channels/${world.channelId}/messages`, {
    content: 'To be copied',
  })
  const path = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems } = await openAs(t, service, world.ann, path, {}, async page => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  })
  await page.locator('.message').getByText('To be copied').hover()
  await page.getByRole('button', { name: 'Copy text' }).click()
  const composer = page.getByLabel('Message #general')
  await composer.press('ControlOrMeta+V')
  assert.equal(await composer.inputValue(), 'To be copied')
  assert.deepEqual(problems, [])
})

test('a screen reader hears a message as it is shown (community/announcements)', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const path = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems, connected } = await openAs(t, service, world.ann, path)
  await connected
  await page.getByLabel('Messages in general').waitFor()
  const self = (await world.ann.client.call('getCurrentUser')).displayName
  const owner = (await world.owner.client.call('getCurrentUser')).displayName
  for (const [content, heard] of [
    [`hey <@${world.ann.id}>, see <#${world.channelId}>`, `hey @${self}, see #general`],
    ['**bold** and __under__ and ~~gone~~', 'bold and under and gone'],
    ['read [the manual](https://wiki.example/a?b=1)', 'read the manual'],
    ['run `npm start` \\*now\\*', 'run npm start *now*'],
  ] as const) {
    await world.owner.client.json('POST', `/api/channels/${world.channelId}/messages`, { content })
    await page.getByRole('log').locator('p', { hasText: heard }).waitFor({ state: 'attached' })
    assert.equal(await page.getByRole('log').textContent(), `${owner}: ${heard}`)
  }
  assert.deepEqual(problems, [])
})

test('texts have the direction of their first strong letter (community/text-direction)', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const path = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems } = await openAs(t, service, world.ann, path)
  await page.getByLabel('Messages in general').waitFor()
  const texts = [
    'שלום עולם.',
    'مرحبا بالعالم!',
    'سلام، خوبی؟ بله.',
    'שלום `./run.sh -v` עולם (כן).',
    '> ציטוט.',
    '- א\n- ב',
    'Hello שלום',
  ]
  for (const content of texts) {
    await world.owner.client.json('POST', `/api/channels/${world.channelId}/messages`, { content })
  }
  await page.getByText('Hello שלום').first().waitFor()
  const directions = await page
    .locator('.body > *')
    .evaluateAll(elements => elements.map(element => getComputedStyle(element).direction))
  assert.deepEqual(directions, ['rtl', 'rtl', 'rtl', 'rtl', 'rtl', 'rtl', 'ltr'])
  const composer = page.getByLabel('Message #general')
  await composer.fill('שלום')
  assert.equal(await composer.evaluate(element => getComputedStyle(element).direction), 'rtl')
  if (process.env.TEXT_SHOT) await page.screenshot({ path: process.env.TEXT_SHOT })
  assert.deepEqual(problems, [])
})

test('a screen reader gets each message once, also two with the same text', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const path = `/channels/${world.serverId}/${world.channelId}`
  const { page, problems, connected } = await openAs(t, service, world.ann, path)
  await connected
  await page.getByLabel('Messages in general').waitFor()
  const announcement = page.getByRole('log').locator('p')
  const post = () =>
    world.owner.client.json('POST', `/api/channels/${world.channelId}/messages`, { content: 'Hi' })
  await post()
  await announcement.waitFor({ state: 'attached' })
  await announcement.evaluate(element => element.setAttribute('data-first', ''))
  await post()
  await page.locator('[role=log] p:not([data-first])').waitFor({ state: 'attached' })

  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  await page.goBack()
  await page.getByText('Hi', { exact: true }).nth(1).waitFor()
  assert.equal(await announcement.count(), 0)
  assert.deepEqual(problems, [])
})
