import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { testNatsUrl } from '@gatehouse/testkit/bus'
import { createServer, register } from '@gatehouse/testkit/community'
import { listenTcp } from '@gatehouse/testkit/listen'
import { startNodes, type TestService } from '@gatehouse/testkit/service'
import { NoResponders } from '../bus/bus.ts'
import { subjects } from '../events/gateway-events.ts'
import {
  clientOn,
  connectUser,
  createBot,
  identify,
  resumeSession,
  sendMessage,
  sessionHeaders,
} from './gateway-testing.ts'

test('a message that is sent on one node reaches the connections of the other', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const ben = await register(b, 'ben')
  const { server, general } = await createServer(ada, clientOn(a, ben))
  const onB = await connectUser(b, ben)
  assert.equal(onB.ready.d.servers[0]?.id, server.id)
  await sendMessage(ada, general.id, 'hello')
  assert.equal((await onB.nextFrame()).d.content, 'hello')
})

test('a permission overwrite on one node hides the channel on the other', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const ben = await register(b, 'ben')
  const { general } = await createServer(ada, clientOn(a, ben))
  const onB = await connectUser(b, ben)
  const overwrite = `/api/channels/${general.id}/overwrites/${ben.id}`
  const hidden = { type: 'member', allow: '0', deny: String(1 << 10) }
  assert.equal((await ada.client.json('PUT', overwrite, hidden)).status, 204)
  await sendMessage(ada, general.id, 'secret')
  assert.equal((await onB.nextFrame()).t, 'CHANNEL_DELETE')
  assert.equal((await ada.client.json('DELETE', overwrite)).status, 204)
  assert.equal((await onB.nextFrame()).t, 'CHANNEL_CREATE')
  await sendMessage(ada, general.id, 'visible')
  assert.equal((await onB.nextFrame()).d.content, 'visible')
})

test('every session of a former member receives SERVER_REMOVE, on both nodes', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const ben = await register(b, 'ben')
  const { server, general } = await createServer(ada, clientOn(a, ben))
  const members = `/api/servers/${server.id}/members`
  const removals: Record<string, () => ReturnType<typeof ada.client.json>> = {
    removed: () => ada.client.json('DELETE', `${members}/${ben.id}`),
    left: () => ben.client.json('DELETE', `${members}/@me`),
    deleted: () => ada.client.json('DELETE', `/api/servers/${server.id}`),
  }
  const sessions = [
    await connectUser(a, clientOn(a, ben)),
    await connectUser(b, ben),
    await connectUser(b, ben),
  ]
  for (const [name, remove] of Object.entries(removals)) {
    assert.equal((await remove()).status, 204, name)
    if (name !== 'deleted') await sendMessage(ada, general.id, 'after removal')
    for (const session of sessions) {
      const { t: event, d } = await session.nextDispatch()
      assert.deepEqual([event, d], ['SERVER_REMOVE', { id: server.id }], name)
    }
    if (name === 'deleted') return
    const invite = await ada.client.json('POST', `/api/servers/${server.id}/invites`, {})
    assert.equal((await ben.client.json('POST', `/api/invites/${invite.body.code}`)).status, 200)
    for (const session of sessions) assert.equal((await session.nextDispatch()).t, 'SERVER_ADD', name)
  }
})

test('logout on one node closes the connections on the other', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const onB = await connectUser(b, clientOn(b, ada))
  assert.equal((await ada.client.json('POST', '/api/auth/logout')).status, 204)
  assert.equal((await onB.closed).code, 4004)
})

test('an interaction reaches a bot on any node', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const bot = await createBot(a)
  const event = { t: 'INTERACTION_CREATE', d: { id: '1' } }
  const requestDispatch = (from: TestService) =>
    from.bus.request(subjects.botSessions(bot.applicationId), event, 2000)
  await assert.rejects(requestDispatch(a), NoResponders)
  const onA = await identify(a, bot)
  const { node: _, ...reply } = (await requestDispatch(b)) as { node: string }
  assert.deepEqual(reply, { delivered: true, sessionId: onA.sessionId })
  assert.equal((await onA.nextFrame()).t, 'INTERACTION_CREATE')
})

/** A TCP proxy to NATS that can close its connections. */
async function startNatsProxy(t: TestContext) {
  const { hostname, port } = new URL(testNatsUrl)
  const proxy = await listenTcp(t, inbound => {
    const outbound = connect(Number(port), hostname)
    for (const [socket, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  return {
    url: `nats://127.0.0.1:${proxy.port}`,
    disconnect() {
      for (const socket of proxy.sockets) socket.destroy()
    },
  }
}

test('a node that reconnects to NATS ends all of its sessions, because it may have missed a revocation', async t => {
  const proxy = await startNatsProxy(t)
  const [a, b] = (await startNodes(t, proxy.url)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const ben = await register(a, 'ben')
  const [adaClient, benClient] = [
    await connectUser(b, clientOn(b, ada)),
    await connectUser(b, clientOn(b, ben)),
  ]
  const headers = sessionHeaders(b, ben)
  proxy.disconnect()
  assert.equal((await ben.client.json('POST', '/api/auth/logout')).status, 204)
  for (const client of [adaClient, benClient]) {
    assert.deepEqual(await client.nextFrame(), { op: 7 })
    assert.equal((await client.closed).code, 1012)
  }
  const resumed = await resumeSession(b, { sessionId: adaClient.sessionId, seq: 1 }, sessionHeaders(b, ada))
  assert.deepEqual(await resumed.nextFrame(), { op: 9, d: false })
  const rejected = await resumeSession(b, { sessionId: benClient.sessionId, seq: 1 }, headers)
  assert.equal((await rejected.closed).code, 4004)
})
