import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBot, createTestBot } from '@gatehouse/bot'
import { defineSearch } from './search.ts'

test('a search that takes a minute is deferred, and its response is ephemeral', async () => {
  const bot = createBot({ url: 'http://localhost', token: 'none' })
  const { promise, resolve } = Promise.withResolvers<string[]>()
  defineSearch(bot, () => promise)

  const service = createTestBot(bot)
  const use = service.command('search', { text: 'tea' })
  await service.advance(60_000)
  assert.equal(use.state, 'deferred')

  resolve(['Green tea', 'Black tea'])
  await use.ended
  assert.equal(use.reply?.embeds[0]?.title, '2 found')
  assert.equal(use.reply?.ephemeral, true)
})
