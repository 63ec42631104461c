import assert from 'node:assert/strict'
import test from 'node:test'
import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { choiceName, listRunnableCommands, toEnteredOptions } from './commands.ts'

const amount = {
  type: 'integer',
  name: 'amount',
  nameLocalizations: { ru: 'число' },
  description: 'How many',
  descriptionLocalizations: { ru: 'Сколько' },
  choices: [{ name: 'One', nameLocalizations: { ru: 'Один' }, value: 1 }],
} as const

function command(more: Partial<AvailableCommand>): AvailableCommand {
  return {
    id: '1',
    applicationId: '2',
    type: 'slash',
    name: 'config',
    description: 'Changes settings',
    options: [],
    defaultMemberPermissions: null,
    createdAt: '',
    updatedAt: '',
    application: { id: '2', name: 'App', icon: null, botId: '3' },
    ...more,
  }
}

const config = command({
  nameLocalizations: { ru: 'настройки' },
  options: [
    {
      type: 'subcommand_group',
      name: 'role',
      nameLocalizations: { 'ru-RU': 'роль' },
      description: 'Roles',
      options: [
        {
          type: 'subcommand',
          name: 'add',
          description: 'Adds roles',
          options: [{ ...amount, choices: [...amount.choices] }],
        },
      ],
    },
    { type: 'subcommand', name: 'list', description: 'Lists settings', options: [] },
  ],
})

test('lists each subcommand as a command of its own', () => {
  const listed = listRunnableCommands([command({ name: 'ping', description: 'Answers' }), config], 'en')
  assert.deepEqual(
    listed.map(({ name, label, description, subcommand, options }) => ({
      name,
      label,
      description,
      subcommand,
      options: options.map(option => option.label),
    })),
    [
      { name: 'ping', label: 'ping', description: 'Answers', subcommand: [], options: [] },
      {
        name: 'config role add',
        label: 'config role add',
        description: 'Adds roles',
        subcommand: ['role', 'add'],
        options: ['amount'],
      },
      {
        name: 'config list',
        label: 'config list',
        description: 'Lists settings',
        subcommand: ['list'],
        options: [],
      },
    ],
  )
  assert.equal(new Set(listed.map(({ key }) => key)).size, 3)
})

test('shows names and descriptions in the language of the client', () => {
  const [add, list] = listRunnableCommands([config], 'ru')
  assert.deepEqual(
    [add?.name, add?.label, list?.label],
    ['config role add', 'настройки роль add', 'настройки list'],
  )
  const [option] = add?.options ?? []
  assert.deepEqual(
    [
      option?.name,
      option?.label,
      option?.description,
      option?.choices?.map(({ name, value }) => [name, value]),
    ],
    ['amount', 'число', 'Сколько', [['Один', 1]]],
  )
})

test('puts the options of a request into the subcommand', () => {
  const values = [{ name: 'amount', value: 1 }]
  assert.deepEqual(toEnteredOptions({ subcommand: ['role', 'add'] }, values), [
    { name: 'role', options: [{ name: 'add', options: values }] },
  ])
  assert.deepEqual(toEnteredOptions({ subcommand: [] }, values), values)
})

test('the name of a choice is in the language of the client', () => {
  const choice = { name: 'Moscow', nameLocalizations: { 'ru-RU': 'Москва' }, value: 'm' }
  assert.equal(choiceName(choice, 'ru'), 'Москва')
  assert.equal(choiceName(choice, 'en'), 'Moscow')
  assert.equal(choiceName({ name: 'Moscow', value: 'm' }, 'ru'), 'Moscow')
})
