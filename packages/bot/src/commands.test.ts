import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCommands } from '@gatehouse/protocol/commands'
import {
  type AnyCommandDefinition,
  type CommandDefinition,
  isRegistered as isSetRegistered,
  readCommandSet,
  readSubcommand,
  toRegistration,
} from './commands.ts'
import type { CommandInteraction, RegisteredCommand } from './types.ts'

const roll = {
  name: 'roll',
  description: 'Roll dice ',
  options: [
    { type: 'integer', name: 'sides', description: 'Sides', required: true, min: 2, max: 100 },
    { type: 'string', name: 'colour', description: 'Colour', choices: [{ name: ' Red', value: 'red' }] },
    { type: 'boolean', name: 'quiet', description: 'Quiet', required: false },
    { type: 'number', name: 'luck', description: 'Luck', autocomplete: true },
  ],
} as const satisfies CommandDefinition

const café = { name: 'cafe\u0301', description: 'Coffee', ephemeral: true } as const

const isRegistered = (
  definitions: readonly AnyCommandDefinition[],
  registered: readonly RegisteredCommand[],
) => isSetRegistered(readCommandSet('sync', definitions), registered)

/** Returns the commands as the service stores them, with its own schema. */
function register(definitions: readonly AnyCommandDefinition[]): RegisteredCommand[] {
  const { commands, violations } = checkCommands(JSON.parse(JSON.stringify(definitions.map(toRegistration))))
  assert.deepEqual(violations, [])
  return commands.map((command, index) => ({
    id: String(index),
    applicationId: '1',
    ...command,
    createdAt: '',
    updatedAt: '',
  }))
}

test('a definition equals its registered command, in any order', () => {
  const present = register([roll, café])
  assert.equal(isRegistered([roll, café], present), true)
  assert.equal(isRegistered([café, roll], present), true)
})

test('registers the names of permissions as a bit set', () => {
  const command = { ...roll, defaultMemberPermissions: ['MANAGE_MESSAGES', 'BAN_MEMBERS'] } as const
  const present = register([command])
  assert.equal(present[0]?.defaultMemberPermissions, String((1n << 13n) | (1n << 2n)))
  assert.equal(
    isRegistered([{ ...roll, defaultMemberPermissions: ['BAN_MEMBERS', 'MANAGE_MESSAGES'] }], present),
    true,
  )
  assert.equal(isRegistered([roll], present), false)
})

test('commands in menus are compared by type and trimmed name', () => {
  const user = { type: 'user', name: ' Show Profile', nameLocalizations: { ru: 'Профиль ' } } as const
  const message = { ...user, type: 'message', ephemeral: true } as const
  const present = register([user, message, roll])
  assert.equal(isRegistered([roll, message, user], present), true)
  assert.equal(isRegistered([roll, message], present), false)
  assert.equal(isRegistered([roll, message, { ...user, name: 'show profile' }], present), false)
  assert.equal(isRegistered([roll, message, { type: 'user', name: user.name }], present), false)
})

test('detects every difference that a user can see', () => {
  const present = register([roll])
  const [sides, colour, quiet, luck] = roll.options
  const changes: CommandDefinition[][] = [
    [],
    [roll, café],
    [{ ...roll, name: 'throw' }],
    [{ ...roll, defaultMemberPermissions: ['BAN_MEMBERS'] }],
    [{ ...roll, description: 'Throw dice' }],
    [{ ...roll, options: [sides, colour, luck] }],
    [{ ...roll, options: [sides, quiet, colour, luck] }],
    [{ ...roll, options: [sides, colour, quiet, { ...luck, autocomplete: false }] }],
    [{ ...roll, options: [{ ...sides, max: 20 }, colour, quiet, luck] }],
    [{ ...roll, options: [{ ...sides, type: 'number' }, colour, quiet, luck] }],
    [{ ...roll, options: [sides, { ...colour, required: true }, quiet, luck] }],
    [{ ...roll, options: [sides, { ...colour, choices: [{ name: 'Red', value: 'blue' }] }, quiet, luck] }],
    [{ ...roll, options: [sides, { ...colour, choices: [] }, quiet, luck] }],
  ]
  for (const changed of changes) assert.equal(isRegistered(changed, present), false, JSON.stringify(changed))
})

test('an option without autocomplete equals one with `autocomplete: false`', () => {
  const [sides] = roll.options
  const without = { ...roll, options: [sides] }
  assert.equal(
    isRegistered([{ ...roll, options: [{ ...sides, autocomplete: false }] }], register([without])),
    true,
  )
})

test('does not register properties that only the bot uses', () => {
  assert.deepEqual(toRegistration(café), {
    ...{ type: 'slash', name: 'cafe\u0301', description: 'Coffee', options: [] },
    defaultMemberPermissions: null,
  })
})

const config = {
  name: 'config',
  nameLocalizations: { ru: 'настройки', de: 'einstellungen' },
  description: 'Changes settings',
  options: [
    {
      type: 'subcommand_group',
      name: 'role',
      description: 'Roles',
      options: [{ type: 'subcommand', name: 'add', description: 'Adds', options: [roll.options[0]] }],
    },
    { type: 'subcommand', name: 'list', description: 'Lists' },
  ],
} as const satisfies CommandDefinition

test('detects differences in subcommands and in other languages', () => {
  const present = register([config])
  assert.equal(isRegistered([config], present), true)
  const [role, list] = config.options
  const languages = { de: 'einstellungen', ru: 'настройки' }
  assert.equal(isRegistered([{ ...config, nameLocalizations: languages }], present), true)
  for (const changed of [
    { ...config, nameLocalizations: { ru: 'настройки' } },
    { ...config, options: [role] },
    { ...config, options: [list, role] },
    { ...config, options: [{ ...role, options: [{ ...role.options[0], options: [] }] }, list] },
    { ...config, options: [role, { ...list, descriptionLocalizations: { ru: 'Список' } }] },
  ]) {
    assert.equal(isRegistered([changed], present), false)
  }
})

test('the names of a subcommand in an event are one text', () => {
  const data = (options: CommandInteraction['data']['options']) => readSubcommand(event(options))
  assert.equal(data([]), undefined)
  assert.equal(data([{ name: 'sides', type: 'integer', value: 6 }]), undefined)
  const add = { name: 'add', type: 'subcommand', options: [] } as const
  assert.equal(data([{ ...add, options: [] }]), 'add')
  assert.equal(
    data([{ name: 'role', type: 'subcommand_group', options: [{ ...add, options: [] }] }]),
    'role add',
  )
})

function event(options: CommandInteraction['data']['options']): CommandInteraction {
  return {
    version: 1,
    id: '1',
    token: 't',
    type: 'command',
    applicationId: '2',
    channelId: '3',
    serverId: '4',
    user: { id: '5', username: 'ana', displayName: 'Ana', avatar: '/a' },
    data: { id: '6', name: 'config', options },
    createdAt: '',
    deadlineAt: '',
    expiresAt: '',
  }
}
