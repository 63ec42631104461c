import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Channel, createTestBot, type Role, type TestApi } from '@gatehouse/bot'
import { createWelcomeBot } from './welcome.ts'

const user = { id: '3', username: 'eve', displayName: 'Eve', avatar: '/avatars/eve', bot: false }
const joinedAt = '2026-01-31T12:00:00.000Z'

function channel(id: string, name: string): Channel {
  return {
    id,
    serverId: '1',
    type: 'text',
    name,
    topic: null,
    position: 0,
    parentId: null,
    slowMode: 0,
    permissionOverwrites: [],
  }
}

function role(id: string, name: string): Role {
  return { id, serverId: '1', name, permissions: '0', color: 0, position: 1, managed: false }
}

/** A server with the roles Red and Blue, of which the user has the given ones. */
function start(own: string[] = [], members: TestApi['members'] = {}) {
  const bot = createWelcomeBot({ token: 'gbt_x', url: 'http://localhost:1' }, 'lobby')
  return createTestBot(bot, {
    api: {
      channels: { list: async () => [channel('7', 'general'), channel('8', 'lobby')] },
      roles: { list: async () => [role('1', '@everyone'), role('11', 'Red'), role('12', 'Blue')] },
      members: {
        get: async () => ({ user, nick: null, roles: own, joinedAt, timedOutUntil: null }),
        ...members,
      },
    },
  })
}

/** The changes of roles that the bot requested. */
function changes({ requests }: ReturnType<typeof start>) {
  return requests.filter(({ name }) => name.endsWith('Role')).map(({ name, args }) => `${name} ${args[2]}`)
}

test('the bot greets people in its channel, and no bots', async () => {
  const service = start()
  const member = { serverId: '1', user, nick: null, roles: [], joinedAt, timedOutUntil: null }
  await service.emit('memberAdd', member)
  await service.emit('memberAdd', { ...member, user: { ...user, bot: true } })
  assert.deepEqual(
    service.messages.map(({ channelId, content }) => [channelId, content]),
    [['8', '👋 Welcome, <@3>!']],
  )
})

test('a button adds its role, or removes it', async () => {
  for (const [own, change, text] of [
    [[], 'members.addRole 12', 'Added: <@&12>'],
    [['12'], 'members.removeRole 12', 'Removed: <@&12>'],
  ] as const) {
    const service = start([...own])
    const posted = service.command('role-buttons', { first: '11', second: '12' })
    await posted.ended
    const press = service.press(posted.reply, 'Blue')
    await press.ended
    assert.deepEqual(changes(service), [change])
    assert.deepEqual([press.reply?.content, press.reply?.ephemeral], [text, true])
  }
})

test('the menu adds the selected roles and removes the others', async () => {
  const service = start(['11', '99'])
  const posted = service.command('role-menu', { first: '11', second: '12' })
  await posted.ended
  const select = service.select(posted.reply, 'Your roles', ['Blue'])
  await select.ended
  assert.deepEqual(changes(service), ['members.removeRole 11', 'members.addRole 12'])
  assert.equal(select.reply?.content, 'Your roles: <@&12>')
  const none = service.select(posted.reply, 'roles', [])
  await none.ended
  assert.equal(none.reply?.content, 'Your roles: none of these')
})

test('the user learns that the bot may not give a role', async () => {
  const refused = new ApiError({
    status: 403,
    code: 'missing_permission',
    request: 'PUT /api/servers/:id/members/:userId/roles/:roleId',
    message: 'The role is above yours.',
  })
  const service = start([], { addRole: () => Promise.reject(refused) })
  const posted = service.command('role-buttons', { first: '11' })
  await posted.ended
  const press = service.press(posted.reply, 'Red')
  await press.ended
  assert.equal(press.reply?.content, 'I may not change this role: The role is above yours.')
})
