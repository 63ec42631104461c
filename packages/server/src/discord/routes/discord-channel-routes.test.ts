import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { eachDiscordBot } from '../discord-testing.ts'

const { VIEW_CHANNEL, SEND_MESSAGES } = Permission
const view = formatPermissions(VIEW_CHANNEL)
/** With READ_MESSAGE_HISTORY of Discord's API. */
const shownView = String(VIEW_CHANNEL | (1n << 16n))
/** ATTACH_FILES of Discord's API. */
const attachFiles = 1n << 15n

eachDiscordBot('a bot creates a channel with its overwrites', async setup => {
  const { server, ann, owner, call, send } = setup
  const channel = await call('POST', `/guilds/${server.id}/channels`, {
    ...{ name: 'ticket', type: 0, topic: 'Help', rate_limit_per_user: 5, position: 3, nsfw: false },
    permission_overwrites: [
      { id: server.id, type: 0, deny: view },
      { id: ann.id, type: 1, allow: String(VIEW_CHANNEL | attachFiles), deny: '0' },
    ],
  })
  const overwrites = [
    { id: server.id, type: 0, allow: '0', deny: shownView },
    { id: ann.id, type: 1, allow: shownView, deny: '0' },
  ].sort((a, b) => (a.id < b.id ? -1 : 1))
  assert.deepEqual(channel, {
    ...{ id: channel.id, type: 0, guild_id: server.id, name: 'ticket', topic: 'Help', position: 3 },
    ...{ parent_id: null, nsfw: false, rate_limit_per_user: 5, permission_overwrites: overwrites, flags: 0 },
    ...{ last_message_id: null, last_pin_timestamp: null },
    ...{ default_auto_archive_duration: 1440, default_thread_rate_limit_per_user: 0 },
  })
  assert.deepEqual(await call('GET', `/channels/${channel.id}`), channel)
  const native = await owner.client.call('getChannel', { id: channel.id })
  assert.deepEqual([native.name, native.slowMode, native.position], ['ticket', 5, 3])
  for (const [body, name] of [
    [{ name: 'v', type: 2 }, 'type'],
    [{ name: 'n', rate_limit_per_user: -1 }, 'rate_limit_per_user'],
    [{ type: 0 }, 'name'],
    [{ name: 'o', type: { toString: 1 } }, 'type'],
    [{ name: 'o', type: [[0]] }, 'type'],
    [
      { name: 'o', permission_overwrites: [{ id: server.id, type: { toString: 1 } }] },
      'permission_overwrites',
    ],
  ] as const) {
    const reply = await send('POST', `/guilds/${server.id}/channels`, body)
    assert.deepEqual([reply.status, Object.keys(reply.body.errors)], [400, [name]])
  }
})

eachDiscordBot('a bot changes, moves and deletes a channel', async setup => {
  const { server, general, owner, call, send, sendText } = setup
  const category = await call('POST', `/guilds/${server.id}/channels`, { name: 'cat', type: 4 })
  assert.deepEqual([category.type, category.parent_id], [4, null])
  const overwrites = [{ id: server.id, type: 0, allow: '0', deny: String(SEND_MESSAGES) }]
  const changed = await call(
    'PATCH',
    `/channels/${general.id}`,
    {
      ...{ name: 'lobby', topic: null, parent_id: category.id, rate_limit_per_user: 9 },
      permission_overwrites: overwrites,
    },
    { 'x-audit-log-reason': 'cleaning%20up' },
  )
  assert.deepEqual(
    [changed.name, changed.parent_id, changed.rate_limit_per_user, changed.permission_overwrites],
    ['lobby', category.id, 9, overwrites],
  )
  const [entry] = await owner.client.call('listAuditLog', { id: server.id })
  assert.deepEqual([entry?.action, entry?.reason], ['CHANNEL_UPDATE', 'cleaning up'])

  // discord.py sends the ids as numbers, which JavaScript would round (discord/ids).
  const move = `[{"id":${general.id},"position":7,"parent_id":null}]`
  assert.equal((await sendText('PATCH', `/guilds/${server.id}/channels`, move)).status, 204)
  const after = await call('GET', `/channels/${general.id}`)
  assert.deepEqual([after.position, after.parent_id], [7, null])
  const reply = await send('PATCH', `/channels/${general.id}`, { type: 5 })
  assert.equal(reply.body.errors.type._errors[0].message, 'Cannot be changed.')

  const list = await call('GET', `/guilds/${server.id}/channels`)
  assert.deepEqual(new Set(list.map(({ id }: { id: string }) => id)), new Set([general.id, category.id]))
  const deleted = await call('DELETE', `/channels/${category.id}`)
  assert.equal(deleted.id, category.id)
  assert.equal((await send('GET', `/channels/${category.id}`)).body.code, 10003)
})

eachDiscordBot(
  'an overwrite has only permissions that exist here; typing does nothing (discord/permissions)',
  async ({ general, ann, call, send }) => {
    const path = `/channels/${general.id}/permissions/${ann.id}`
    const body = { type: 1, allow: Number(VIEW_CHANNEL | attachFiles), deny: String(SEND_MESSAGES) }
    assert.equal((await send('PUT', path, body)).status, 204)
    const [overwrite] = (await call('GET', `/channels/${general.id}`)).permission_overwrites
    assert.deepEqual(overwrite, { id: ann.id, type: 1, allow: shownView, deny: String(SEND_MESSAGES) })
    assert.equal((await send('DELETE', path)).status, 204)
    assert.equal((await send('DELETE', path)).body.code, 10009)
    const wrong = await send('PUT', path, { type: 3, allow: 'x' })
    assert.deepEqual(Object.keys(wrong.body.errors).toSorted(), ['allow', 'type'])
    assert.equal((await send('POST', `/channels/${general.id}/typing`)).status, 204)
    assert.equal((await send('POST', '/channels/1000000000000000001/typing')).body.code, 10003)
  },
)

eachDiscordBot(
  'a channel that the bot may not view is unknown, and one that it may not change is forbidden (discord/errors)',
  async ({ owner, server, general, bot, send }) => {
    const hidden = await owner.client.call('createChannel', {
      ...{ id: server.id, body: { name: 'staff', private: { roles: [], members: [] } } },
    })
    const message = await owner.client.call('createMessage', { id: hidden.id, body: { content: 'x' } })
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['PUT', `/permissions/${bot.botId}`],
      ['POST', '/typing'],
      ['GET', '/messages'],
      ['GET', `/messages/${message.id}`],
      ['POST', '/messages'],
      ['PATCH', `/messages/${message.id}`],
      ['DELETE', `/messages/${message.id}`],
      ['POST', '/messages/bulk-delete'],
      ['POST', '/invites'],
      ['GET', '/webhooks'],
    ] as const) {
      const body = method === 'GET' ? undefined : bodies[path.split('/')[1] ?? '']
      const [known, unknown] = [
        await send(method, `/channels/${hidden.id}${path}`, body),
        await send(method, `/channels/1000000000000000001${path}`, body),
      ]
      const expected = { code: 10003, message: 'Unknown Channel' }
      assert.deepEqual([known.status, known.body], [404, expected], `${method} ${path}`)
      assert.deepEqual([unknown.status, unknown.body], [404, expected], `${method} ${path}`)
    }
    const refused = await send('PATCH', `/channels/${general.id}`, { name: 'x' })
    assert.deepEqual([refused.status, refused.body.code], [403, 50013])
    assert.match(refused.body.message, /^Missing Permissions\. .*MANAGE_CHANNELS/)
  },
  { permissions: VIEW_CHANNEL | SEND_MESSAGES },
)

const bodies: Readonly<Record<string, object>> = {
  permissions: { type: 1, allow: '0', deny: '0' },
  messages: { content: 'x', messages: ['1000000000000000001'] },
}
