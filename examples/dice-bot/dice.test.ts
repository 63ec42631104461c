import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestBot } from '@gatehouse/bot'
import { createDiceBot } from './dice.ts'

/** Starts the bot with a random function that repeats the given numbers. */
function start(...numbers: number[]) {
  let turn = 0
  const random = () => numbers[turn++ % numbers.length] ?? 0
  return createTestBot(createDiceBot({ token: 'gbt_x', url: 'http://localhost:1' }, random))
}

test('/roll rolls one six-sided die by default', async () => {
  const use = start(0.99).command('roll')
  await use.ended
  assert.equal(use.reply?.content, '🎲 1d6: **6**')
})

test('/roll adds up the given number of dice', async () => {
  const use = start(0, 0.5, 0.99).command('roll', { sides: 20, count: 3 })
  await use.ended
  assert.equal(use.reply?.content, '🎲 3d20: 1 + 11 + 20 = **32**')
})

test('the button Roll again rolls the same dice', async () => {
  const service = start(0, 0, 0.5, 0.5)
  const use = service.command('roll', { sides: 20, count: 2 })
  await use.ended
  const again = service.press(use.reply, 'Roll again', { user: { username: 'boris' } })
  await again.ended
  assert.equal(use.reply?.content, '🎲 2d20: 1 + 1 = **2**')
  assert.equal(again.reply?.content, '🎲 2d20: 11 + 11 = **22**')
})

test('/choose picks one of the possible results', async () => {
  const service = start(0, 0.3, 0.99)
  const coin = service.command('choose', { with: 'coin' })
  const compass = service.command('choose', { with: 'compass' })
  const oracle = service.command('choose', { with: 'oracle' })
  await Promise.all([coin.ended, compass.ended, oracle.ended])
  assert.deepEqual(
    [coin, compass, oracle].map(use => use.reply?.content),
    ['🔮 Heads', '🔮 East', '🔮 Ask again later'],
  )
})

test('/odds sends an ephemeral response', async () => {
  const use = start(0, 0.2, 0.4, 0.6, 0.8).command('odds', { goal: 4, sides: 5 })
  await use.ended
  assert.equal(use.reply?.content, '📈 4 or more with 1d5: about **40 %**')
  assert.equal(use.reply?.ephemeral, true)
})
