import assert from 'node:assert/strict'
import test from 'node:test'
import type { RunnableCommand } from '../../core/commands.ts'
import {
  filterCommands,
  findSimilarCommands,
  findTypedCommands,
  parseCommandQuery,
  parseSubcommandQuery,
} from './filter-commands.ts'

const command = (name: string, description = 'what it does', app = 'Dice'): RunnableCommand => ({
  key: name,
  label: name,
  subcommand: [],
  id: name,
  applicationId: app,
  type: 'slash',
  name,
  description,
  options: [],
  defaultMemberPermissions: null,
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

const config = ['config role add', 'config role remove', 'config list'].map(name => command(name))

test('parses the name of a subcommand while it is typed', () => {
  assert.equal(parseSubcommandQuery('/config ', config), 'config ')
  assert.equal(parseSubcommandQuery('/Config Role a', config), 'config role a')
  for (const text of ['/config x', '/config list ', '/other ', 'config ', '/config']) {
    assert.equal(parseSubcommandQuery(text, config), undefined, text)
  }
  assert.deepEqual(
    filterCommands(config, 'config role').map(({ name }) => name),
    ['config role add', 'config role remove'],
  )
})

test('finds a command by its whole name, and the text after it', () => {
  const find = (name: string, rest: string, hasSpace = true) =>
    findTypedCommands([command('roll'), ...config], { name, rest, hasSpace }).map(found => [
      found.command.name,
      found.rest,
    ])
  assert.deepEqual(find('roll', '20 2'), [['roll', '20 2']])
  assert.deepEqual(find('roll', '', false), [])
  assert.deepEqual(find('config', 'role  Add amount:5'), [['config role add', 'amount:5']])
  assert.deepEqual(find('config', 'list '), [['config list', '']])
  assert.deepEqual(find('config', 'list'), [])
  assert.deepEqual(find('config', ''), [])
})

test('finds a command by its name in the language of the client', () => {
  const localized = [{ ...command('config list'), label: 'настройки список' }]
  assert.equal(filterCommands(localized, 'настр').length, 1)
  assert.equal(parseSubcommandQuery('/настройки сп', localized), 'настройки сп')
  const typed = { name: 'настройки', rest: 'список x', hasSpace: true }
  assert.deepEqual(
    findTypedCommands(localized, typed).map(({ rest }) => rest),
    ['x'],
  )
  assert.equal(findSimilarCommands([{ ...command('list'), label: 'список' }], 'списко').length, 1)
})
