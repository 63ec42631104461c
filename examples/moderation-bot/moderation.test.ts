import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Channel, createTestBot, type Role, type TestApi } from '@gatehouse/bot'
import { createModerationBot } from './moderation.ts'

const joinedAt = '2026-01-31T12:00:00.000Z'
const moderator = { user: { id: '2' } }

function role(id: string, position: number): Role {
  return { id, serverId: '1', name: id, permissions: '0', color: 0, position, managed: false }
}

function channel(name: string): Channel {
  const place = { serverId: '1', position: 0, parentId: null, permissionOverwrites: [] }
  return { id: '8', type: 'text', name, topic: null, slowMode: 0, ...place }
}

function member(id: string) {
  const user = { id, username: `user_${id}`, displayName: id, avatar: '/a', bot: false }
  const roles = { '2': ['20'], '4': ['40'] }[id] ?? []
  return { user, nick: null, roles, joinedAt, timedOutUntil: null }
}

/**
 * A server of user 1, with moderator 2, member 3 without roles, and user 4, whose role is above that of the moderator.
 */
function start(more: TestApi = {}, logChannel = 'log') {
  const bot = createModerationBot({ token: 'gbt_x', url: 'http://localhost:1' }, 'log')
  return createTestBot(bot, {
    api: {
      servers: {
        get: async () => ({
          id: '1',
          name: 'Harbour',
          icon: null,
          ownerId: '1',
          invitesPaused: false,
          verificationLevel: 'none',
        }),
      },
      roles: { list: async () => [role('20', 5), role('40', 9)] },
      members: { get: async (_, id) => member(id), update: async (_, id) => member(id) },
      channels: { list: async () => [channel(logChannel)] },
      ...more,
    },
  })
}

type Service = ReturnType<typeof start>

/** Runs a command and enters the reason. Resolves to the response and the requests that change something. */
async function act(service: Service, name: string, userId: string, options = {}, reason = 'Spam') {
  const use = /^[A-Z]/.test(name)
    ? service.userCommand(name, { id: userId }, moderator)
    : service.command(name, { user: userId, ...options }, moderator)
  await use.ended
  const submitted = service.submit(use, { reason })
  await submitted.ended
  const changes = service.requests.filter(request => /update|create|open/.test(request.name))
  return { content: submitted.reply?.content, ephemeral: submitted.reply?.ephemeral, changes }
}

test('/warn sends a direct message and logs it', async () => {
  const service = start()
  const { content, ephemeral } = await act(service, 'warn', '3')
  assert.deepEqual([content, ephemeral], ['Warned: <@3>.', true])
  const [warning, entry] = service.messages.filter(message => !message.interaction)
  assert.equal(warning?.content, '⚠️ You have been warned by the moderators: Spam')
  assert.equal(entry?.channelId, '8')
  assert.deepEqual(entry?.embeds, [
    {
      title: 'Warned',
      description: 'Spam',
      fields: [
        { name: 'Member', value: '<@3>', inline: true },
        { name: 'Moderator', value: '<@2>', inline: true },
      ],
    },
  ])
})

test('/timeout ends after the given minutes, or after an hour', async () => {
  for (const [options, minutes] of [
    [{ minutes: 10 }, 10],
    [{}, 60],
  ] as const) {
    const service = start()
    const { content, changes } = await act(service, 'timeout', '3', options)
    assert.equal(content, `Timed out for ${minutes} minutes: <@3>.`)
    const timedOutUntil = new Date(service.now() + minutes * 60_000).toISOString()
    assert.deepEqual(changes[0], {
      name: 'members.update',
      args: ['500000000000000001', '3', { timedOutUntil }],
    })
  }
})

test('the commands in the menu of a member do the same', async () => {
  for (const [name, change] of [
    ['Warn', 'directMessages.open'],
    ['Time out', 'members.update'],
    ['Ban', 'bans.create'],
  ]) {
    const { changes } = await act(start(), name ?? '', '3')
    assert.equal(changes[0]?.name, change)
  }
})

test('/ban passes the reason on', async () => {
  const { changes } = await act(start(), 'ban', '3', {}, 'Advertising')
  assert.deepEqual(changes[0]?.args, ['500000000000000001', '3', { reason: 'Advertising' }])
})

test('nothing happens to the owner, to the moderator, and to members with the same or a higher role', async () => {
  for (const userId of ['1', '2', '4']) {
    const { content, changes } = await act(start(), 'ban', userId)
    assert.equal(content, 'Your highest role is not above that of this member.')
    assert.deepEqual(changes, [])
  }
})

test('the moderator learns why the service refuses, and that there is no channel for the log', async () => {
  const refused = new ApiError({
    status: 403,
    code: 'missing_permission',
    request: 'PUT /api/servers/:id/bans/:userId',
    message: 'BAN_MEMBERS is required.',
  })
  const { content } = await act(start({ bans: { create: () => Promise.reject(refused) } }), 'ban', '3')
  assert.equal(content, 'Not possible: BAN_MEMBERS is required.')
  const other = await act(start({}, 'other'), 'ban', '3')
  assert.equal(other.content, 'Banned: <@3>. There is no channel #log for the log.')
})

test('a member reports a message to the log', async () => {
  const service = start()
  const message = await service.message('Buy now!', { user: { id: '3' } })
  const use = service.messageCommand('Report', message, { user: { id: '5' } })
  await use.ended
  assert.deepEqual([use.reply?.content, use.reply?.ephemeral], ['The moderators see your report.', true])
  const entry = service.messages.find(({ channelId }) => channelId === '8')
  assert.deepEqual(
    [entry?.embeds[0]?.description, entry?.embeds[0]?.fields?.[0]?.value],
    ['Buy now!', '<@3>'],
  )
})
