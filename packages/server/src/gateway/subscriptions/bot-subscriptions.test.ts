import assert from 'node:assert/strict'
import { register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { NoResponders } from '../../bus/bus.ts'
import { subjects } from '../../events/gateway-events.ts'
import { connectSocket, createBot, identify, resumeSession, type TestBot } from '../gateway-testing.ts'

function requestDispatch(service: TestService, { applicationId }: TestBot, id: string) {
  const event = { t: 'INTERACTION_CREATE', d: { id }, deadlineAt: service.clock.now() + 3000 }
  return service.bus.request(subjects.botSessions(applicationId), event, 1000)
}

eachService(
  'interactions are dispatched to the sessions of a bot round-robin (bots/interaction-delivery)',
  async (_t, service) => {
    const bot = await createBot(service)
    const one = await identify(service, bot)
    const two = await identify(service, bot)
    const results = [
      await requestDispatch(service, bot, '1'),
      await requestDispatch(service, bot, '2'),
      await requestDispatch(service, bot, '3'),
    ]
    const [first, second] = [one.sessionId, two.sessionId]
    assert.deepEqual(
      results,
      [first, second, first].map(sessionId => ({ delivered: true, sessionId, node: 'single' })),
    )
    assert.deepEqual(await one.nextFrame(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: '1' } })
    assert.deepEqual(await one.nextFrame(), { op: 0, t: 'INTERACTION_CREATE', s: 3, d: { id: '3' } })
    assert.deepEqual(await two.nextFrame(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: '2' } })
  },
)

eachService(
  'a repeated dispatch is sent once while the session that received it is connected (bots/interaction-delivery)',
  async (_t, service) => {
    const bot = await createBot(service)
    const one = await identify(service, bot)
    const two = await identify(service, bot)
    const first = { delivered: true, sessionId: one.sessionId, node: 'single' }
    assert.deepEqual(
      [await requestDispatch(service, bot, '1'), await requestDispatch(service, bot, '1')],
      [first, first],
    )
    assert.equal((await one.nextFrame()).d.id, '1')
    const closed = nextClosed(service, bot)
    one.socket.close()
    await closed
    const second = { delivered: true, sessionId: two.sessionId, node: 'single' }
    assert.deepEqual(await requestDispatch(service, bot, '1'), second)
    assert.equal((await two.nextFrame()).d.id, '1')
    // After the three seconds for the first response, the dispatch is forgotten.
    service.clock.advance(3000)
    await requestDispatch(service, bot, '1')
    assert.equal((await two.nextFrame()).s, 3)
    assert.deepEqual([one.takeFrames(), two.takeFrames()], [[], []])
  },
)

eachService(
  'a dispatch fails immediately without a connected session, also if one can be resumed',
  async (_t, service) => {
    const bot = await createBot(service)
    await assert.rejects(requestDispatch(service, bot, '1'), NoResponders)
    const client = await identify(service, bot)
    const closed = nextClosed(service, bot)
    client.socket.close()
    assert.deepEqual(await closed, { sessionId: client.sessionId })
    await assert.rejects(requestDispatch(service, bot, '2'), NoResponders)
    const resumed = await resumeSession(service, { token: bot.token, sessionId: client.sessionId, seq: 1 })
    assert.equal((await resumed.nextFrame()).t, 'RESUMED')
    assert.deepEqual(await requestDispatch(service, bot, '3'), {
      delivered: true,
      sessionId: client.sessionId,
      node: 'single',
    })
    assert.equal((await resumed.nextFrame()).d.id, '3')
  },
)

function nextClosed(service: TestService, { applicationId }: TestBot): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  void service.bus.subscribe(subjects.gatewaySessionDisconnected(applicationId), resolve)
  return promise
}

eachService(
  'a resume replays an interaction that the closed connection did not receive (bots/interaction-after-disconnect)',
  async (_t, service) => {
    const bot = await createBot(service)
    const client = await identify(service, bot)
    const closed = nextClosed(service, bot)
    await requestDispatch(service, bot, '1')
    client.socket.terminate()
    await closed
    const resumed = await resumeSession(service, { token: bot.token, sessionId: client.sessionId, seq: 1 })
    assert.deepEqual(await resumed.nextFrame(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: '1' } })
    assert.equal((await resumed.nextFrame()).t, 'RESUMED')
  },
)

eachService(
  'a bot receives only SERVER_ADD, SERVER_REMOVE and interactions (bots/bot-may)',
  async (_t, service) => {
    const bot = await createBot(service)
    const client = await identify(service, bot)
    const publish = (t: string, d: object) => service.bus.publish(subjects.user(bot.userId), { t, d })
    publish('SERVER_ADD', { id: '1' })
    publish('CHANNEL_CREATE', { id: '2', type: 'dm' })
    publish('MESSAGE_CREATE', { id: '3' })
    publish('INTERACTION_UPDATE', { id: '4' })
    publish('SERVER_REMOVE', { id: '1' })
    assert.deepEqual(
      [await client.nextFrame(), await client.nextFrame()],
      [
        { op: 0, t: 'SERVER_ADD', s: 2, d: { id: '1' } },
        { op: 0, t: 'SERVER_REMOVE', s: 3, d: { id: '1' } },
      ],
    )
  },
)

eachService('a bot receives no messages of its direct messages', async (_t, service) => {
  const bot = await createBot(service)
  const client = await identify(service, bot)
  const ada = await register(service, 'ada')
  const server = await ada.client.json('POST', '/api/servers', { name: 'Server' })
  await service.db.run`
    INSERT INTO members (server_id, user_id, nick, joined_at) VALUES (${server.body.id}, ${bot.userId}, NULL, 1)`
  const channel = await ada.client.json('POST', '/api/users/@me/channels', { recipientId: bot.userId })
  assert.equal(channel.status, 201, channel.text)
  const sent = await ada.client.json('POST', `/api/channels/${channel.body.id}/messages`, { content: 'hi' })
  assert.equal(sent.status, 201)
  await requestDispatch(service, bot, 'marker')
  assert.equal((await client.nextFrame()).d.id, 'marker')
})

eachService('an event that arrives before READY is sent after it', async (_t, service) => {
  const bot = await createBot(service)
  const client = await connectSocket(service)
  client.send({ op: 2, d: { token: bot.token } })
  while (
    !(await requestDispatch(service, bot, 'early').then(
      () => true,
      () => false,
    ))
  ) {
    await new Promise(resolve => setImmediate(resolve))
  }
  const ready = await client.nextFrame()
  assert.deepEqual([ready.t, ready.s], ['READY', 1])
  assert.deepEqual(await client.nextFrame(), { op: 0, t: 'INTERACTION_CREATE', s: 2, d: { id: 'early' } })
})
