import assert from 'node:assert/strict'
import test from 'node:test'
import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { filterCommands, findSimilarCommands, parseCommandQuery } from './filter-commands.ts'

const command = (name: string, description = 'what it does', app = 'Dice'): AvailableCommand => ({
  id: name,
  applicationId: app,
  name,
  description,
  options: [],
  createdAt: '',
  updatedAt: '',
  application: { id: app, name: app, icon: null, botId: app },
})

test('parses the command name after a slash, unless more text follows', () => {
  assert.equal(parseCommandQuery('/'), '')
  assert.equal(parseCommandQuery('/Ста'), 'ста')
  assert.equal(parseCommandQuery('/roll-20'), 'roll-20')
  for (const text of ['', 'roll', '/roll 6', '/a/b', ' /roll', '/home/x.txt']) {
    assert.equal(parseCommandQuery(text), undefined, text)
  }
})

test('ranks names that start with the text first, then names that contain it, then descriptions', () => {
  const list = [command('unroll'), command('stats', 'who rolled most'), command('roll'), command('help')]
  assert.deepEqual(
    filterCommands(list, 'roll').map(({ name }) => name),
    ['roll', 'unroll', 'stats'],
  )
})

test('sorts commands with the same name by application', () => {
  const list = [command('ping', '', 'Zeta'), command('ping', '', 'Alpha')]
  assert.deepEqual(
    filterCommands(list, 'p').map(({ application }) => application.name),
    ['Alpha', 'Zeta'],
  )
})

test('finds similar commands for a name with a typing error', () => {
  const list = ['greet', 'great', 'roll', 'role', 'ping', 'remind', 'greet'].map(name => command(name))
  const similar = (typed: string) => findSimilarCommands(list, typed).map(({ name }) => name)
  assert.deepEqual(similar('gret'), ['great', 'greet'])
  assert.deepEqual(similar('pnig'), ['ping'])
  assert.deepEqual(similar('rol'), ['role', 'roll'])
  assert.deepEqual(similar('reminder'), ['remind'])
  for (const typed of ['etc/passwd', '', 'x', 'banana']) assert.deepEqual(similar(typed), [], typed)
})
