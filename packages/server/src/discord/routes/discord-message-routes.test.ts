import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createClient } from '@gatehouse/testkit/client'
import { eachDiscordBot } from '../discord-testing.ts'

const { VIEW_CHANNEL, SEND_MESSAGES } = Permission

eachDiscordBot('a bot sends, reads, edits and deletes a message', async setup => {
  const { general, bot, ann, server, call, send } = setup
  const path = `/channels/${general.id}/messages`
  const sent = await call('POST', path, {
    ...{ content: `hello <@${ann.id}>`, tts: false, flags: 0, nonce: '7' },
    embeds: [{ title: 'Title', timestamp: '2026-01-01T00:00:00Z' }],
    components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go' }] }],
  })
  assert.deepEqual(
    [sent.channel_id, sent.guild_id, sent.author.id, sent.type, sent.pinned],
    [general.id, server.id, bot.botId, 0, false],
  )
  assert.deepEqual([sent.mentions[0].username, sent.components[0].components[0].custom_id], ['ann', 'go'])
  assert.deepEqual(sent.embeds[0].timestamp, '2026-01-01T00:00:00.000000+00:00')
  const { nonce, ...stored } = sent
  assert.equal(nonce, '7')
  assert.deepEqual(await call('GET', `${path}/${sent.id}`), stored)
  const edited = await call('PATCH', `${path}/${sent.id}`, { content: 'bye', embeds: [] })
  assert.deepEqual([edited.content, edited.embeds, typeof edited.edited_timestamp], ['bye', [], 'string'])
  // A nonce that the client does not enforce is only repeated by Discord's API.
  const second = await call('POST', path, { content: 'again', nonce: '7' })
  assert.notEqual(second.id, sent.id)
  const enforced = { content: 'once', nonce: 8, enforce_nonce: true }
  const once = await call('POST', path, enforced)
  assert.equal(once.nonce, 8)
  assert.equal((await call('POST', path, enforced)).id, once.id)
  for (const wrong of [1.5, {}, 'x'.repeat(65), true]) {
    assert.equal((await send('POST', path, { content: 'x', nonce: wrong })).body.code, 50035)
  }

  assert.equal((await send('DELETE', `${path}/${sent.id}`)).status, 204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { content: 'x' } : undefined
    const reply = await send(method, `${path}/${sent.id}`, body)
    assert.deepEqual([reply.status, reply.body.code], [404, 10008], method)
  }
})

eachDiscordBot('an invisible label of a button can be seen here (discord/responses)', async setup => {
  const button = { type: 2, style: 2 }
  const buttons = [
    { ...button, label: '\u200b', custom_id: 'a' },
    { ...button, label: '\u200b', emoji: { name: '👍' }, custom_id: 'b' },
  ]
  const body = { content: 'board', components: [{ type: 1, components: buttons }] }
  const { components } = await setup.call('POST', `/channels/${setup.general.id}/messages`, body)
  const labels = components[0].components.map(({ label }: { label?: string }) => label)
  assert.deepEqual(labels, ['·', undefined])
})

eachDiscordBot(
  'a reply is sent without its reference, and a forward is refused (discord/replies)',
  async setup => {
    const { general, call, send } = setup
    const path = `/channels/${general.id}/messages`
    const { id: message_id } = await call('POST', path, { content: 'first' })
    const reply = await call('POST', path, {
      ...{ content: 'second', message_reference: { message_id, fail_if_not_exists: true } },
      allowed_mentions: { replied_user: true, parse: [] },
    })
    assert.deepEqual([reply.content, reply.type, reply.message_reference], ['second', 0, undefined])
    const forward = await send('POST', path, { message_reference: { message_id, type: 1 } })
    assert.deepEqual([forward.status, Object.keys(forward.body.errors)], [400, ['message_reference']])
  },
)

eachDiscordBot('a message is JSON or in payload_json of multipart, without files', async setup => {
  const { general, sendText, send } = setup
  const path = `/channels/${general.id}/messages`
  const part = (head: string, text: string) =>
    `--xx\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`
  const payload = part('name="payload_json"', '{"content":"from a form"}')
  const file = part('name="files[0]"; filename="a.txt"', 'text')
  const type = 'multipart/form-data; boundary=xx'
  const sent = await sendText('POST', path, `${payload}--xx--\r\n`, type)
  assert.deepEqual([sent.status, sent.body.content], [200, 'from a form'])
  const withFile = await sendText('POST', path, `${payload}${file}--xx--\r\n`, type)
  assert.deepEqual([withFile.status, withFile.body.code], [400, 50035])
  assert.match(withFile.body.errors.files._errors[0].message, /^Files are not accepted/)
  const empty = await send('POST', path, { content: ' ' })
  assert.deepEqual(
    [empty.status, empty.body],
    [400, { code: 50006, message: 'Cannot send an empty message' }],
  )
  const long = await send('POST', path, { content: 'x'.repeat(2001), embeds: [{ fields: [{ value: 'v' }] }] })
  assert.deepEqual(long.body.errors.content._errors, [
    { code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' },
  ])
  assert.equal(long.body.errors.embeds[0].fields[0].name._errors[0].code, 'BASE_TYPE_REQUIRED')
  assert.equal((await sendText('POST', path, '{"content":')).body.code, 50109)
})

eachDiscordBot('messages are listed before, after and around an id (discord/pages)', async setup => {
  const { general, call, send } = setup
  const path = `/channels/${general.id}/messages`
  const ids: string[] = []
  for (const content of '123456') ids.push((await call('POST', path, { content })).id)
  const list = async (query: string) =>
    (await call('GET', `${path}?${query}`)).map(({ content }: { content: string }) => content).join('')
  assert.equal(await list(''), '654321')
  assert.equal(await list('limit=2'), '65')
  assert.equal(await list(`before=${ids[3]}&limit=2`), '32')
  assert.equal(await list(`after=${ids[1]}&limit=2`), '43')
  // Clients begin with the id 0.
  assert.equal(await list('after=0&limit=2'), '21')
  assert.equal(await list('before=0&limit=2'), '')
  assert.equal(await list(`around=${ids[2]}&limit=3`), '432')
  assert.equal(await list(`around=${ids[5]}&limit=4`), '6543')
  assert.equal(await list(`around=${ids[0]}&limit=4`), '321')
  assert.equal(await list(`around=${ids[0]}&limit=1`), '1')
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'around=x', 'before=x']) {
    const reply = await send('GET', `${path}?${query}`)
    assert.deepEqual([reply.status, Object.keys(reply.body.errors)], [400, [query.split('=')[0]]], query)
  }
})

eachDiscordBot(
  'up to 100 messages are deleted at once, with MANAGE_MESSAGES (discord/bulk-delete)',
  async ({ owner, general, server, call, send, sendText }) => {
    const path = `/channels/${general.id}/messages`
    const own = await call('POST', path, { content: 'own' })
    const { id } = await owner.client.call('createMessage', { id: general.id, body: { content: 'other' } })
    const kept = await owner.client.call('createMessage', { id: general.id, body: { content: 'kept' } })
    const messages = [own.id, id, id, '1000000000000000001']
    const reply = await send('POST', `${path}/bulk-delete`, { messages }, { 'x-audit-log-reason': 'spam' })
    assert.equal(reply.status, 204)
    const left = await owner.client.call('listMessages', { id: general.id })
    assert.deepEqual(
      left.map(message => message.id),
      [kept.id],
    )
    // As a deletion of one message, that of an own one is not recorded.
    const entries = await owner.client.call('listAuditLog', {
      ...{ id: server.id, query: { action: 'MESSAGE_DELETE' } },
    })
    assert.deepEqual(
      entries.map(({ target, reason }) => [target.id, reason]),
      [[id, 'spam']],
    )
    assert.equal((await sendText('POST', `${path}/bulk-delete`, `{"messages":[${kept.id}]}`)).status, 204)
    for (const wrong of [[], Array(101).fill(id), ['x'], undefined]) {
      assert.equal((await send('POST', `${path}/bulk-delete`, { messages: wrong })).body.code, 50035)
    }
  },
)

eachDiscordBot(
  'without MANAGE_MESSAGES, neither own messages nor those of others are deleted at once',
  async ({ owner, general, call, send }) => {
    const path = `/channels/${general.id}/messages`
    const own = await call('POST', path, { content: 'own' })
    const reply = await send('POST', `${path}/bulk-delete`, { messages: [own.id] })
    assert.deepEqual([reply.status, reply.body.code], [403, 50013])
    const { id } = await owner.client.call('createMessage', { id: general.id, body: { content: 'x' } })
    assert.equal((await send('PATCH', `${path}/${id}`, { content: 'y' })).body.code, 50013)
    assert.equal((await call('GET', `${path}/${own.id}`)).content, 'own')
  },
  { permissions: VIEW_CHANNEL | SEND_MESSAGES },
)

eachDiscordBot(
  'the headers of a new message are those of its rate, and the error has retry_after and Via (discord/rate-limit)',
  async ({ service, bot, general, server, owner }) => {
    const other = await owner.client.call('createChannel', { id: server.id, body: { name: 'other' } })
    const client = createClient(service.url)
    const post = (channelId: string) =>
      client.json(
        'POST',
        `/api/v10/channels/${channelId}/messages`,
        { content: 'x' },
        { authorization: `Bot ${bot.token}` },
      )
    const limits = ({ headers }: { headers: Headers }) =>
      ['limit', 'remaining', 'reset-after', 'bucket', 'scope'].map(name => headers.get(`x-ratelimit-${name}`))
    for (let i = 9; i >= 0; i--) {
      const reply = await post(general.id)
      assert.deepEqual(limits(reply), ['10', String(i), '10.000', 'channelMessages', null])
      assert.equal(Number(reply.headers.get('x-ratelimit-reset')), service.clock.now() / 1000 + 10)
    }
    service.clock.advance(1500)
    const refused = await post(general.id)
    assert.equal(refused.status, 429)
    const message = 'You are being rate limited.'
    assert.deepEqual(refused.body, { message, retry_after: 9, global: false })
    assert.deepEqual(limits(refused).slice(0, 2), ['10', '0'])
    assert.deepEqual([refused.headers.get('via'), refused.headers.get('retry-after')], ['1.1 gatehouse', '9'])
    assert.equal(refused.headers.get('x-ratelimit-scope'), 'user')
    assert.equal((await post(other.id)).status, 200)
  },
  { env: { RATE_LIMITS: 'requests=1000/1' } },
)

eachDiscordBot(
  'each operation of a request and each message of a bulk deletion counts as a request (discord/operations)',
  async ({ service, bot, general, send, call }) => {
    const path = `/channels/${general.id}/messages`
    const { id } = await call('POST', path, { content: 'x' })
    service.clock.advance(60_000)
    // The rate allows 20 at once: 1 and 10 further ones are counted.
    const messages = [id, ...Array.from({ length: 10 }, (_, i) => String(10n ** 18n + BigInt(i)))]
    assert.equal((await send('POST', `${path}/bulk-delete`, { messages })).status, 204)
    const get = () => send('GET', `/users/${bot.botId}`)
    const statuses: number[] = []
    for (let i = 0; i < 10; i++) statuses.push((await get()).status)
    assert.deepEqual(statuses, [...Array(9).fill(200), 429])
  },
  { env: { RATE_LIMITS: 'requests=10/1' } },
)
