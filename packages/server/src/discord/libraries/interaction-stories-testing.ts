import assert from 'node:assert/strict'
import type { Button, EntitySelect, StringSelect } from '@gatehouse/protocol/components'
import type { Message } from '@gatehouse/protocol/messages'
import type { Stories } from './bot-world-testing.ts'

const componentsOf = ({ components }: Message) =>
  components.flatMap(row => row.components as (Button | StringSelect | EntitySelect)[])

const option = (name: string, value: unknown) => ({ name, value })

export const interactionStories: Stories = {
  async 'knows its server and registers commands'(world) {
    const { ana, ben, general } = world
    await world.logs('Connected')
    await world.logs('Ready: logger bot-log,general 3 true')
    const commands = await ana.client.call('listAvailableCommands', { id: general.id })
    const names = commands.map(({ name }) => name).sort()
    assert.deepEqual(names, [
      ...['Quote', 'Show profile', 'choose', 'city', 'errors', 'everything', 'feedback', 'greet', 'moderate'],
      ...['pick', 'poll', 'report', 'rules', 'secret', 'server', 'settings', 'vanish'],
    ])
    const ofBen = await ben.client.call('listAvailableCommands', { id: general.id })
    assert.ok(!ofBen.some(({ name }) => name === 'moderate'))
  },

  async 'responds to commands of all servers and of one'({ ben }) {
    const greeting = await ben.hearsResponse(await ben.run('greet'), 'Hello, ben!')
    assert.deepEqual([greeting.interaction?.name, greeting.state], ['greet', 'sent'])
    await ben.hearsResponse(await ben.run('rules'), 'Be kind.')
  },

  async 'responds to one user only'({ ana, ben }) {
    const secret = await ben.hearsResponse(await ben.run('secret'), 'A secret')
    assert.equal(secret.ephemeral, true)
    const next = await ben.run('greet')
    await ana.hearsResponse(next, 'Hello, ben!')
    assert.equal(ana.hasHeard('A secret'), false)
  },

  async 'defers, edits, fetches and deletes its responses, and sends follow-ups'({ ana, ben }) {
    const report = await ben.run('report')
    const first = await ben.seesResponse(report)
    assert.equal(first.state, 'deferred')
    await ben.seesEdited(first, 'Report, page 1')
    const second = await ben.hearsResponse(report, 'Report, page 2')
    assert.equal((await ben.hearsResponse(report, 'Only for you')).ephemeral, true)
    await ben.seesEdited(first, 'Report, page 1 of 2')
    await ben.seesEdited(second, 'Report, the end')
    await ana.seesEdited(second, 'Report, the end')
    assert.equal(ana.hasHeard('Only for you'), false)
    const vanish = await ben.run('vanish')
    const gone = await ben.hearsResponse(vanish, 'Soon gone')
    await ben.sees('MESSAGE_DELETE', ({ id }) => id === gone.id)
    await ben.hearsResponse(vanish, 'It is gone')
  },

  async 'has buttons'({ ana, ben }) {
    const poll = await ben.hearsResponse(await ben.run('poll'), 'Poll')
    const [yes, no, link] = componentsOf(poll) as Button[]
    assert.deepEqual(
      [yes?.emoji, yes?.style, no?.label, no?.style, link?.url],
      ['👍', 'success', 'No', 'danger', 'https://poll.example/'],
    )
    await ben.use(poll, 'yes')
    await ana.seesEdited(poll, 'Votes: ben,yes')
    const vote = await ana.use(poll, 'no')
    const end = await ben.seesEdited(poll, 'Votes: ben,yes,ana,no')
    assert.deepEqual(end.components, [])
    assert.equal((await ana.hearsResponse(vote, 'The poll has ended')).ephemeral, true)
  },

  async 'has a select menu with options'({ ben }) {
    const message = await ben.hearsResponse(await ben.run('choose'), 'Choose')
    const [menu] = componentsOf(message) as StringSelect[]
    assert.deepEqual([menu?.placeholder, menu?.maxValues, menu?.options.length], ['Colors', 2, 3])
    const [red] = menu?.options ?? []
    assert.deepEqual([red?.label, red?.value, red?.description], ['Red', 'r', 'Like a rose'])
    assert.deepEqual(
      menu?.options.map(each => each.default ?? false),
      [false, true, false],
    )
    await ben.use(message, 'colors', ['r', 'g'])
    assert.deepEqual((await ben.seesEdited(message, 'You chose r,g')).components, [])
  },

  async 'has select menus with users, roles and channels'({ ana, ben, server, general }) {
    const body = { name: 'Pilots', permissions: '0' }
    const role = await ana.client.call('createRole', { id: server.id, body })
    const menus = await ben.hearsResponse(await ben.run('pick'), 'Pick')
    const users = await ben.use(menus, 'users', [ana.id, ben.id])
    await ben.hearsResponse(users, 'Users: ana,ben as ana,ben')
    await ben.hearsResponse(await ben.use(menus, 'roles', [role.id]), 'Roles: Pilots')
    await ben.hearsResponse(await ben.use(menus, 'channels', [general.id]), 'Channels: general')
    const both = await ben.use(menus, 'both', [ben.id, role.id])
    await ben.hearsResponse(both, 'Users: ben, roles: Pilots')
  },

  async 'opens a modal'({ ben, general }) {
    const interactionId = await ben.run('feedback')
    const { modal } = await ben.sees('INTERACTION_UPDATE', ({ id, modal }) => id === interactionId && !!modal)
    const fields = modal?.components.flatMap(row => row.components) ?? []
    assert.deepEqual(
      fields.map(({ label, style, required }) => [label, style, required ?? true]),
      [
        ['Text', 'paragraph', true],
        ['From', 'short', false],
      ],
    )
    const components = [{ customId: fields[0]?.customId ?? '', value: 'Good\nwork' }]
    const body = { type: 'modal_submit', channelId: general.id, interactionId, components } as const
    const { id } = await ben.client.call('createInteraction', { body })
    await ben.hearsResponse(id, 'Thanks: Good\nwork from ?')
  },

  async 'suggests values of an option'({ ben, general }) {
    const body = {
      channelId: general.id,
      commandId: await ben.commandId('city'),
      options: [{ name: 'name', value: 'P' }],
      focused: 'name',
    }
    const { choices } = await ben.client.call('autocompleteOption', { body })
    assert.deepEqual(choices, [
      { name: 'Paris', value: 'Paris' },
      { name: 'Prague', value: 'Prague' },
    ])
    await ben.hearsResponse(await ben.run('city', [option('name', 'Rome')]), 'Off to Rome')
  },

  async 'has options of all types'({ ana, ben, server, general }) {
    const least = await ben.run('everything', [option('color', 'r')])
    const none = 'count=- ratio=- loud=- user=- member=- channel=- role=- whom=-'
    await ben.hearsResponse(least, `color=r ${none}`)
    const options = [
      option('color', 'b'),
      option('count', 3),
      option('ratio', 0.5),
      option('loud', false),
      option('user', ana.id),
      option('channel', general.id),
      option('role', server.id),
      option('whom', ben.id),
    ]
    await ben.hearsResponse(
      await ben.run('everything', options),
      `color=b count=3 ratio=0.5 loud=false user=ana member=ana channel=general role=@everyone whom=<@${ben.id}>`,
    )
  },

  async 'has subcommands and groups'({ ben }) {
    await ben.hearsResponse(await ben.run('settings', [{ name: 'show' }]), 'Settings: show -')
    const set = { name: 'set', options: [option('value', 'red')] }
    const group = await ben.run('settings', [{ name: 'color', options: [set] }])
    await ben.hearsResponse(group, 'Settings: color set red')
  },

  async 'has commands in the menus of users and messages'({ ana, ben }) {
    await ben.hearsResponse(await ben.run('Show profile', [], ana.id), 'Profile: ana, ana')
    const { id } = await ana.say('Well said')
    await ben.hearsResponse(await ben.run('Quote', [], id), 'Quote: Well said (ana)')
  },
}
