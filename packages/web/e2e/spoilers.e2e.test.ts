import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolations } from '@gatehouse/testkit/accessibility'
import { createWorld } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { openAs, waitForValue } from './testing.ts'

test('a spoiler is hidden until it is pressed, and keeps the focus (community/spoilers)', async t => {
  const service = await startService(t)
  const { owner, ann, bot, serverId, channelId } = await createWorld(service)
  const path = `/api/channels/${channelId}/messages`
  const { page, problems, connected } = await openAs(t, service, ann, `/channels/${serverId}/${channelId}`)
  await connected
  const messages = page.getByLabel('Messages in general')
  const spoilers = messages.getByRole('button', { name: 'Spoiler: press to show it' })
  const content = `It was ||the *gardener*, see https://a.example/ and <@${owner.id}>|| after all`
  await owner.client.json('POST', path, { content })
  await spoilers.first().waitFor()
  await bot.json('POST', path, { content: '', embeds: [{ description: '||```\\nthe butler\\n```||' }] })
  await waitForValue(() => spoilers.count(), 2)
  assert.deepEqual(await findViolations(page), [])

  const text = messages.getByText('gardener')
  assert.equal(await text.isVisible(), false)
  assert.equal(await messages.getByRole('link', { name: 'https://a.example/' }).count(), 0)
  const announced = page.getByRole('log')
  assert.doesNotMatch((await announced.textContent()) ?? '', /gardener|butler/)

  await spoilers.first().focus()
  await page.keyboard.press('Enter')
  await text.waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'spoiler shown')
  await page.keyboard.press('Tab')
  assert.equal(await messages.getByRole('link', { name: 'https://a.example/' }).count(), 1)

  await spoilers.click()
  await messages.getByText('the butler').waitFor()
  assert.equal(await spoilers.count(), 0)
  assert.deepEqual(problems, [])
})

test('the dialog that confirms a deletion hides spoilers (community/spoilers)', async t => {
  const service = await startService(t)
  const { ann, serverId, channelId } = await createWorld(service)
  await ann.client.json('POST', `/api/channels/${channelId}/messages`, { content: 'It was ||the gardener||' })
  const { page } = await openAs(t, service, ann, `/channels/${serverId}/${channelId}`)
  const message = page.locator('.message', { hasText: 'It was' })
  await message.hover()
  await message.getByRole('button', { name: 'Delete' }).click()
  const preview = page.getByRole('alertdialog')
  await preview.getByText('It was').waitFor()
  assert.equal(await preview.getByText('the gardener').isVisible(), false)
})
