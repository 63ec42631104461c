import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBot } from './bot.ts'
import { mentionableSelect, row } from './builders.ts'
import type { CommandDefinition } from './commands.ts'
import type { ChosenRole, ChosenUser } from './entities.ts'
import { createTestBot, type From, type TestOptions } from './test-bot.ts'
import type { ResolvedEntities, SelectedEntity } from './types.ts'

const point = {
  name: 'point',
  description: 'At something',
  options: [
    { type: 'mentionable', name: 'whom', description: 'A member or a role', required: true },
    { type: 'user', name: 'who', description: 'A member' },
    { type: 'channel', name: 'where', description: 'A channel' },
    { type: 'role', name: 'as', description: 'A role' },
    { type: 'string', name: 'why', description: 'A reason' },
  ],
} as const satisfies CommandDefinition

function describe(chosen: ChosenUser | ChosenRole): string {
  return chosen.role ? `role ${chosen.role.name}` : `user ${chosen.user.displayName}`
}

/** A bot that replies with the names of what it gets. */
function createPointBot() {
  const bot = createBot({ token: 't', url: 'https://chat.example' })
  bot.command(point, ctx => {
    const { whom, who, where, as } = ctx.entities
    const others = [who?.user.username, who?.member.roles.join(), where?.name, as?.name]
    return ctx.reply([describe(whom), ...others.map(String)].join(' | '))
  })
  return bot
}

test('a handler gets what the ids of its options refer to, and tells a user from a role', async () => {
  const service = createTestBot(createPointBot())
  const replyTo = async (options: TestOptions) => {
    const use = service.command('point', options)
    await use.ended
    return use.reply?.content
  }
  const crew = { id: '5', name: 'Crew' }
  assert.equal(await replyTo({ whom: crew }), 'role Crew | undefined | undefined | undefined | undefined')
  const all = {
    whom: { id: '1', displayName: 'Bo' },
    who: { id: '2', username: 'cy', member: { roles: ['5'] } },
    where: '9',
    as: '5',
    why: '1',
  }
  assert.equal(await replyTo(all), 'user Bo | cy | 5 | name-9 | name-5')
  assert.equal(await replyTo({ whom: '7' }), 'user Ana | undefined | undefined | undefined | undefined')
})

test('a select menu for members and roles has both, and a direct message has only users', async () => {
  const bot = createBot({ token: 't', url: 'https://chat.example' })
  const menu = row(mentionableSelect('whom', { maxValues: 2 }))
  bot.command({ name: 'menu', description: 'A menu' }, ctx => ctx.reply({ content: 'x', components: [menu] }))
  bot.select('whom', ctx => ctx.reply(JSON.stringify(ctx.resolved)))
  const service = createTestBot(bot)
  const shown = service.command('menu')
  await shown.ended
  const crew = { id: '5', name: 'Crew' }
  const select = async (entities: SelectedEntity[], from: From = {}) => {
    const use = service.select(shown.reply, 'whom', entities, from)
    await use.ended
    const { users = {}, members, roles = {} }: ResolvedEntities = JSON.parse(use.reply?.content ?? '')
    return [Object.keys(users), members && Object.keys(members), Object.keys(roles)]
  }
  assert.deepEqual(await select([{ id: '1' }, crew]), [['1'], ['1'], ['5']])
  assert.deepEqual(await select([{ id: '1' }], { serverId: null }), [['1'], undefined, []])
  await assert.rejects(select([crew], { serverId: null }), /must be a member or a role of this server/)
})

test('a command in the menu of a user has their member', async () => {
  const bot = createBot({ token: 't', url: 'https://chat.example' })
  bot.userCommand({ name: 'Roles' }, ctx => ctx.reply(`${ctx.target.username}: ${ctx.member.roles.join()}`))
  const use = createTestBot(bot).userCommand('Roles', { username: 'bo', member: { roles: ['5', '6'] } })
  await use.ended
  assert.equal(use.reply?.content, 'bo: 5,6')
})
