import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, putCommands } from '@gatehouse/testkit/interactions'
import { startService } from '@gatehouse/testkit/service'
import { openAs } from './testing.ts'

test('a bot has commands in the menus of messages and members', async t => {
  const service = await startService(t)
  const world = await createWorld(service)
  const { bot, owner, channelId, serverId } = world
  await putCommands(bot, [
    { type: 'message', name: 'Report message' },
    { type: 'user', name: 'Show profile' },
  ])
  await bot.connect()
  await owner.client.json('POST', `/api/channels/${channelId}/messages`, { content: 'rude words' })
  const { page, problems } = await openAs(t, service, world.ann, `/channels/${serverId}/${channelId}`)
  const message = page.locator('.message', { hasText: 'rude words' })
  await message.hover()
  await message.getByRole('button', { name: 'Apps' }).click()
  await page.getByRole('menuitem', { name: 'Report message' }).click()
  const reported = await bot.event(0)
  assert.ok(reported.type === 'command' && 'resolved' in reported.data && 'message' in reported.data.resolved)
  assert.equal(reported.data.resolved.message.content, 'rude words')
  await page.locator('.invocation').getByText('Report message', { exact: true }).waitFor()
  await bot.callback(reported, { type: 'message', data: { content: 'Thank you' } })
  const response = page.locator('.message', { hasText: 'Thank you' })
  await response.getByText('Report message', { exact: true }).waitFor()

  await message.locator('button.message-author').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apps' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Show profile' }).press('Enter')
  const shown = await bot.event(1)
  assert.equal('targetId' in shown.data && shown.data.targetId, owner.id)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})
