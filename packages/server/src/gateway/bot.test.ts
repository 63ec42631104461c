import assert from 'node:assert/strict'
import { NoResponders } from '../bus/bus.ts'
import { subjects } from '../platform/events.ts'
import { register } from '../platform/testing.ts'
import { eachService, type TestService } from '../testing.ts'
import { greeted, identified, makeBot, resuming, type TestBot } from './testing.ts'

function ask(service: TestService, { applicationId }: TestBot, id: string) {
  const event = { t: 'INTERACTION_CREATE', d: { id }, deadlineAt: service.clock.now() + 3000 }
  return service.bus.request(subjects.app(applicationId), event, 1000)
}

eachService('interactions go to the sessions of the bot in turn (D26)', async (_t, service) => {
  const bot = await makeBot(service)
  const one = await identified(service, bot)
  const two = await identified(service, bot)
  const given = [await ask(service, bot, '1'), await ask(service, bot, '2'), await ask(service, bot, '3')]
  const [first, second] = [one.sessionId, two.sessionId]
  assert.deepEqual(
    given,
    [first, second, first].map(sessionId => ({ delivered: true, sessionId })),
  )
  assert.deepEqual(await one.take(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: '1' } })
  assert.deepEqual(await one.take(), { op: 0, t: 'INTERACTION_CREATE', s: 3, d: { id: '3' } })
  assert.deepEqual(await two.take(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: '2' } })
})

eachService(
  'D26: what is asked for twice comes to the bot once, while the session that has it is connected',
  async (_t, service) => {
    const bot = await makeBot(service)
    const one = await identified(service, bot)
    const two = await identified(service, bot)
    const first = { delivered: true, sessionId: one.sessionId }
    assert.deepEqual([await ask(service, bot, '1'), await ask(service, bot, '1')], [first, first])
    assert.equal((await one.take()).d.id, '1')
    const closed = nextClosed(service, bot)
    one.socket.close()
    await closed
    assert.deepEqual(await ask(service, bot, '1'), { delivered: true, sessionId: two.sessionId })
    assert.equal((await two.take()).d.id, '1')
    // Nothing is kept beyond the three seconds in which it may be asked for.
    service.clock.advance(3000)
    await ask(service, bot, '1')
    assert.equal((await two.take()).s, 3)
    assert.deepEqual([one.rest(), two.rest()], [[], []])
  },
)

eachService(
  'with no session connected the bot is offline, at once; one that waits gets nothing new',
  async (_t, service) => {
    const bot = await makeBot(service)
    await assert.rejects(ask(service, bot, '1'), NoResponders)
    const client = await identified(service, bot)
    const closed = nextClosed(service, bot)
    client.socket.close()
    assert.deepEqual(await closed, { sessionId: client.sessionId })
    await assert.rejects(ask(service, bot, '2'), NoResponders)
    const back = await resuming(service, { token: bot.token, sessionId: client.sessionId, seq: 1 })
    assert.equal((await back.take()).t, 'RESUMED')
    assert.deepEqual(await ask(service, bot, '3'), { delivered: true, sessionId: client.sessionId })
    assert.equal((await back.take()).d.id, '3')
  },
)

function nextClosed(service: TestService, { applicationId }: TestBot): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  void service.bus.subscribe(subjects.sessionClosed(applicationId), resolve)
  return promise
}

eachService(
  'an interaction that a dying session took comes again when it resumes (D54)',
  async (_t, service) => {
    const bot = await makeBot(service)
    const client = await identified(service, bot)
    const closed = nextClosed(service, bot)
    await ask(service, bot, '1')
    client.socket.terminate()
    await closed
    const back = await resuming(service, { token: bot.token, sessionId: client.sessionId, seq: 1 })
    assert.deepEqual(await back.take(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: '1' } })
    assert.equal((await back.take()).t, 'RESUMED')
  },
)

eachService(
  'a bot is told of its servers and its interactions, and of nothing else (D32)',
  async (_t, service) => {
    const bot = await makeBot(service)
    const client = await identified(service, bot)
    const to = (t: string, d: object) => service.bus.publish(subjects.user(bot.userId), { t, d })
    to('SERVER_ADD', { id: '1' })
    to('CHANNEL_CREATE', { id: '2', type: 'dm' })
    to('MESSAGE_CREATE', { id: '3' })
    to('INTERACTION_UPDATE', { id: '4' })
    to('SERVER_REMOVE', { id: '1' })
    assert.deepEqual(
      [await client.take(), await client.take()],
      [
        { op: 0, t: 'SERVER_ADD', s: 2, d: { id: '1' } },
        { op: 0, t: 'SERVER_REMOVE', s: 3, d: { id: '1' } },
      ],
    )
  },
)

eachService('what is said in a direct message is nothing to the bot of it', async (_t, service) => {
  const bot = await makeBot(service)
  const client = await identified(service, bot)
  const ada = await register(service, 'ada')
  const server = await ada.client.json('POST', '/api/servers', { name: 'Server' })
  await service.db.run`
    INSERT INTO members (server_id, user_id, nick, joined_at) VALUES (${server.body.id}, ${bot.userId}, NULL, 1)`
  const channel = await ada.client.json('POST', '/api/users/@me/channels', { recipientId: bot.userId })
  assert.equal(channel.status, 201, channel.text)
  const said = await ada.client.json('POST', `/api/channels/${channel.body.id}/messages`, { content: 'hi' })
  assert.equal(said.status, 201)
  await ask(service, bot, 'fence')
  assert.equal((await client.take()).d.id, 'fence')
})

eachService('what comes between the subscription and READY comes after READY', async (_t, service) => {
  const bot = await makeBot(service)
  const client = await greeted(service)
  client.send({ op: 2, d: { token: bot.token } })
  while (
    !(await ask(service, bot, 'early').then(
      () => true,
      () => false,
    ))
  ) {
    await new Promise(resolve => setImmediate(resolve))
  }
  const ready = await client.take()
  assert.deepEqual([ready.t, ready.s], ['READY', 1])
  assert.deepEqual(await client.take(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: 'early' } })
})
