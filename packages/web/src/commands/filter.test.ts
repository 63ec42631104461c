import assert from 'node:assert/strict'
import test from 'node:test'
import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { filterCommands, typedCommand } from './filter.ts'

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

test('a slash and a name are a command being typed; more is text', () => {
  assert.equal(typedCommand('/'), '')
  assert.equal(typedCommand('/Ста'), 'ста')
  assert.equal(typedCommand('/roll-20'), 'roll-20')
  for (const text of ['', 'roll', '/roll 6', '/a/b', ' /roll', '/home/x.txt']) {
    assert.equal(typedCommand(text), undefined, text)
  }
})

test('names that begin with what was typed come first, then names that hold it, then descriptions', () => {
  const list = [command('unroll'), command('stats', 'who rolled most'), command('roll'), command('help')]
  assert.deepEqual(
    filterCommands(list, 'roll').map(({ name }) => name),
    ['roll', 'unroll', 'stats'],
  )
})

test('commands of the same name stand side by side by application', () => {
  const list = [command('ping', '', 'Zeta'), command('ping', '', 'Alpha')]
  assert.deepEqual(
    filterCommands(list, 'p').map(({ application }) => application.name),
    ['Alpha', 'Zeta'],
  )
})
