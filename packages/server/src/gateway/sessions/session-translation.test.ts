import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Ready } from '@gatehouse/protocol/gateway'
import type { DispatchRequest, PublishedEvent } from '../../events/gateway-events.ts'
import type { ProtocolError, Translation } from '../wire-format.ts'
import { EncodedEvent } from './encoded-event.ts'
import { GatewaySession, type SessionConnection } from './gateway-session.ts'
import { SessionTranslation } from './session-translation.ts'

const ready: Ready = {
  sessionId: 'session',
  resumeUrl: 'ws://gate',
  user: { id: '1', username: 'bot', displayName: 'Bot', avatar: '/avatar', bot: true },
  servers: [{ id: 'server', name: 'Server' }],
}

const event = (id: string): PublishedEvent => ({
  t: 'ROLE_DELETE',
  d: { id, serverId: 'server' },
  id: `bus${id}`,
})

const encode = (name: string, id?: string) => new EncodedEvent({ t: name, d: {}, id }, 0)

/** A session whose translations resolve when the test says so. */
function setUp({ connected = true } = {}) {
  const reads: PromiseWithResolvers<readonly EncodedEvent[]>[] = []
  const drains: PromiseWithResolvers<void>[] = []
  const ends: ProtocolError[] = []
  const errors: unknown[] = []
  const translation: Translation = {
    name: 'other',
    ready: async () => encode('READY'),
    async *start() {
      yield encode('SERVER')
    },
    translate() {
      const read = Promise.withResolvers<readonly EncodedEvent[]>()
      reads.push(read)
      return read.promise
    },
    translateVisibility: () => [],
    ignoresIntent: () => false,
    request: (_session, op) => (op === 8 ? respond() : undefined),
  }
  async function* respond() {
    yield encode('CHUNK')
    yield encode('SECOND CHUNK')
  }
  const identity = { kind: 'bot', userId: '1', credentialId: '2' } as const
  const session = new GatewaySession('session', identity, () => assert.fail('overflow'))
  const received: [seq: number, name: string][] = []
  const connection: SessionConnection & { isSlow: boolean } = {
    isSlow: false,
    send(event, seq) {
      const { s, t } = JSON.parse(String(event.toFrame(seq)))
      received.push([s, t])
    },
    drained() {
      if (!this.isSlow) return undefined
      const drain = Promise.withResolvers<void>()
      drains.push(drain)
      return drain.promise
    },
    close() {},
  }
  session.translation = new SessionTranslation(session, translation, {
    end(_session, error) {
      session.endedWith ??= error
      ends.push(error)
    },
    onError: error => errors.push(error),
  })
  if (connected) session.connection = connection
  const receive = (id: string) => session.receive(encode('native'), event(id))
  const start = () => session.translation?.start(connection, ready)
  return { session, connection, received, reads, drains, ends, errors, receive, start }
}

test('translated events keep their order, after READY and the servers', async () => {
  const { session, received, reads, receive, start } = setUp()
  session.translation?.pause()
  receive('1')
  receive('2')
  await setImmediate()
  assert.deepEqual([reads.length, session.translation?.isIdle], [0, false])
  await start()
  await setImmediate()
  reads[0]?.resolve([encode('ONE', '1#0'), encode('ONE AGAIN', '1#1')])
  await setImmediate()
  reads[1]?.resolve([])
  await setImmediate()
  receive('3')
  reads[2]?.resolve([encode('THREE', '3#0')])
  await setImmediate()
  const expected = ['READY', 'SERVER', 'ONE', 'ONE AGAIN', 'THREE'].map((name, n) => [n + 1, name])
  assert.deepEqual(received, expected)
  assert.equal(session.translation?.isIdle, true)
})

test('the servers that READY announces are not stored: a client that lacks one cannot resume', async () => {
  const { session, reads, receive, start } = setUp()
  session.translation?.pause()
  await start()
  await setImmediate()
  assert.deepEqual([session.seq, session.canResume(1), session.canResume(2)], [2, false, true])
  receive('1')
  reads[0]?.resolve([encode('ONE')])
  await setImmediate()
  assert.deepEqual([session.canResume(1), session.canResume(2)], [false, true])
})

test('a large event waits for the client, and later ones are sent after it', async () => {
  const { session, connection, received, reads, drains, receive, start } = setUp()
  session.translation?.pause()
  await start()
  await setImmediate()
  connection.isSlow = true
  receive('1')
  receive('2')
  reads[0]?.resolve([new EncodedEvent({ t: 'LARGE', d: 'x'.repeat(200_000) }, 0)])
  await setImmediate()
  assert.deepEqual([received.length, reads.length, session.isLive], [2, 1, false])
  connection.isSlow = false
  drains[0]?.resolve()
  await setImmediate()
  reads[1]?.resolve([encode('TWO')])
  await setImmediate()
  assert.deepEqual(received.slice(2), [
    [3, 'LARGE'],
    [4, 'TWO'],
  ])
  assert.deepEqual([session.canResume(2), session.canResume(3)], [false, true])
})

test('an event of more than 16 KiB that was read waits for the client, and a resume sends it again', async () => {
  const { session, connection, received, reads, drains, receive, start } = setUp()
  await start()
  await setImmediate()
  connection.isSlow = true
  receive('1')
  reads[0]?.resolve([new EncodedEvent({ t: 'LARGE', d: 'x'.repeat(20_000) }, 0)])
  await setImmediate()
  assert.equal(received.length, 2)
  drains[0]?.resolve()
  await setImmediate()
  assert.deepEqual(received.slice(2), [[3, 'LARGE']])
  assert.equal(session.canResume(2), true)
})

test('a session ends if its connection is lost before all servers were sent', async () => {
  const { session, connection, drains, ends, start } = setUp()
  session.translation?.pause()
  connection.isSlow = true
  await start()
  await setImmediate()
  session.disconnect()
  for (const drain of drains) drain.resolve()
  await setImmediate()
  assert.equal(ends.length, 1)
})

test('a translation that fails ends the session, and no later event is sent', async () => {
  const { received, reads, ends, errors, receive, start } = setUp()
  await start()
  await setImmediate()
  receive('1')
  receive('2')
  reads[0]?.reject(new Error('the database is locked'))
  await setImmediate()
  assert.deepEqual([ends.length, errors.length, reads.length], [1, 1, 1])
  receive('3')
  assert.deepEqual([received.length, reads.length], [2, 1])
})

test('a session with too many events that wait ends', async () => {
  const { ends, receive } = setUp({ connected: false })
  for (let n = 0; n <= 1025; n++) receive(String(n))
  assert.deepEqual(ends, [[4000, 'too many unsent events']])
})

test('an interaction does not wait for the servers after READY', async () => {
  const { session, connection, received, reads, drains, start } = setUp()
  const interaction = { t: 'INTERACTION_CREATE', d: { id: '9' } } as DispatchRequest
  session.translation?.pause()
  session.receive(encode('native'), interaction)
  connection.isSlow = true
  await start()
  await setImmediate()
  assert.deepEqual(
    [received.length, reads.length],
    [1, 1],
    'READY was sent, the first server waits for the client',
  )
  reads[0]?.resolve([encode('INTERACTION')])
  await setImmediate()
  connection.isSlow = false
  for (const drain of drains) drain.resolve()
  await setImmediate()
  assert.deepEqual(received.map(([, name]) => name).toSorted(), ['INTERACTION', 'READY', 'SERVER'])
  assert.deepEqual(
    received.map(([seq]) => seq),
    [1, 2, 3],
  )
})

test('requests of the client wait for READY, and an unknown opcode is an error', async () => {
  const { session, connection, received, start } = setUp()
  session.translation?.pause()
  assert.equal(session.translation?.request(connection, 8, {}), undefined)
  assert.deepEqual(session.translation?.request(connection, 9, {}), [4001, 'unknown opcode'])
  await setImmediate()
  assert.equal(received.length, 0)
  await start()
  await setImmediate()
  assert.deepEqual(
    received.map(([seq]) => seq),
    [1, 2, 3, 4],
  )
  assert.deepEqual(received[0], [1, 'READY'])
})

test('of a response to a request, the next connection gets only the event that was being sent', async () => {
  const { session, connection, received, drains, start } = setUp()
  session.translation?.pause()
  await start()
  await setImmediate()
  connection.isSlow = true
  session.translation?.request(connection, 8, {})
  await setImmediate()
  session.disconnect()
  for (const drain of drains) drain.resolve()
  await setImmediate()
  assert.equal(received.length, 2)
  session.resume({ ...connection, isSlow: false } as SessionConnection, 2, 0)
  await setImmediate()
  assert.deepEqual(received.slice(2), [
    [3, 'CHUNK'],
    [4, 'RESUMED'],
  ])
})
