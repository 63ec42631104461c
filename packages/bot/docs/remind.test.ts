import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBot, createTestBot } from '@gatehouse/bot'
import { defineRemind } from './remind.ts'

test('/remind sends a message after the minutes, not before', async () => {
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  defineRemind(bot)
  const service = createTestBot(bot)
  const use = service.command('remind', { minutes: 60 })
  await service.advance(60 * 60_000 - 1)
  assert.equal(service.messages.length, 1)
  await service.advance(1)
  await use.ended
  assert.match(service.messages[1]?.content ?? '', /it is time/)
})
