import assert from 'node:assert/strict'
import { type DiscordBotSetup, eachDiscordBot } from '../discord-testing.ts'

/** Sends a request to a path below `/api/v9`. */
function sendVersion9({ service, bot }: DiscordBotSetup, method: string, path: string, body?: unknown) {
  return service.client().json(method, `/api/v9${path}`, body, { authorization: `Bot ${bot.token}` })
}

async function readReasons({ call, server }: DiscordBotSetup) {
  const { audit_log_entries: entries } = await call('GET', `/guilds/${server.id}/audit-logs?limit=50`)
  return entries.map((entry: Record<string, unknown>) => [entry.action_type, entry.reason])
}

eachDiscordBot(
  'version 9 has the reason and the days of a ban in the query (discord/version-9)',
  async setup => {
    const { server, general, ann, call, send } = setup
    const { id } = await ann.client.call('createMessage', { id: general.id, body: { content: 'spam' } })
    const query = `reason=${encodeURIComponent('100% spam, я')}&delete_message_days=1`
    const banned = await sendVersion9(setup, 'PUT', `/guilds/${server.id}/bans/${ann.id}?${query}`)
    assert.equal(banned.status, 204, banned.text)
    assert.equal((await call('GET', `/guilds/${server.id}/bans/${ann.id}`)).reason, '100% spam, я')
    assert.equal((await send('GET', `/channels/${general.id}/messages/${id}`)).status, 404)
    assert.deepEqual((await readReasons(setup))[0], [22, '100% spam, я'])
  },
)

eachDiscordBot('version 9 has the reason of a kick in the query (discord/version-9)', async setup => {
  const { server, ann } = setup
  const path = `/guilds/${server.id}/members/${ann.id}`
  const long = await sendVersion9(setup, 'DELETE', `${path}?reason=${'x'.repeat(513)}`)
  assert.deepEqual([long.status, long.body.code], [400, 50035])
  const kicked = await sendVersion9(setup, 'DELETE', `${path}?reason=bye`)
  assert.equal(kicked.status, 204, kicked.text)
  assert.deepEqual((await readReasons(setup))[0], [20, 'bye'])
})

eachDiscordBot(
  'version 10 has neither in the query; a header takes precedence (discord/version-9)',
  async setup => {
    const { server, general, ann, send, call, service, bot } = setup
    const { id } = await ann.client.call('createMessage', { id: general.id, body: { content: 'hello' } })
    const path = `/guilds/${server.id}/bans/${ann.id}`
    assert.equal((await send('PUT', `${path}?reason=spam&delete_message_days=7`)).status, 204)
    assert.equal((await call('GET', path)).reason, null)
    assert.equal((await send('GET', `/channels/${general.id}/messages/${id}`)).status, 200)
    await send('DELETE', path)
    const headers = { authorization: `Bot ${bot.token}`, 'x-audit-log-reason': 'header' }
    await service.client().json('PUT', `/api/v9${path}?reason=query`, undefined, headers)
    assert.equal((await call('GET', path)).reason, 'header')
  },
)

eachDiscordBot(
  'delete_message_days of a body deletes messages in both versions (discord/ban-days)',
  async setup => {
    const { server, general, ann, owner, send } = setup
    const path = `/guilds/${server.id}/bans/${ann.id}`
    for (const wrong of [8, -1, 1.5, 'x', true]) {
      const { status, body } = await send('PUT', path, { delete_message_days: wrong })
      assert.deepEqual([status, Object.keys(body.errors)], [400, ['delete_message_days']], String(wrong))
    }
    for (const put of [send, sendVersion9.bind(null, setup)]) {
      const { id } = await ann.client.call('createMessage', { id: general.id, body: { content: 'spam' } })
      const message = `/channels/${general.id}/messages/${id}`
      assert.equal(
        (await put('PUT', path, { delete_message_days: 0, delete_message_seconds: null })).status,
        204,
      )
      assert.equal((await send('GET', message)).status, 200)
      await send('DELETE', path)
      assert.equal((await put('PUT', path, { delete_message_days: 1 })).status, 204)
      assert.equal((await send('GET', message)).status, 404)
      await send('DELETE', path)
      const { code } = await owner.client.call('createInvite', { id: server.id })
      await ann.client.call('acceptInvite', { code })
    }
  },
)
