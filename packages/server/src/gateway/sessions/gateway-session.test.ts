import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EncodedEvent } from './encoded-event.ts'
import { GatewaySession } from './gateway-session.ts'

/** An event of the bus, or without `id` a change of visibility. */
function createEvent(name: string, id?: string): EncodedEvent {
  return new EncodedEvent({ t: 'CHANNEL_DELETE', d: { id: name, serverId: '1' }, id }, 0)
}

/** A session that continues one of another node. The client has two events of it. */
function setUp() {
  const session = new GatewaySession('session', { kind: 'user', userId: '1', credentialId: '2' }, () =>
    assert.fail('overflow'),
  )
  const received: [seq: number, name: string][] = []
  const connection = {
    send(event: EncodedEvent, seq: number) {
      const { s, t, d } = JSON.parse(String(event.toFrame(seq)))
      received.push([s, t === 'RESUMED' ? t : d.id])
    },
    drained: () => undefined,
    close() {},
  }
  return { session, received, resume: () => session.resume(connection, 2, 0) }
}

const state = {
  seq: 4,
  events: [createEvent('three', 'c'), createEvent('four', 'd')],
  recentIds: ['b', 'c', 'd'],
}
const noChanges = { revealed: [], hidden: [] }

test('events that both nodes received are sent once, also if they arrive after the session has moved', () => {
  const { session, received, resume } = setUp()
  session.send(createEvent('three', 'c'))
  session.send(createEvent('five', 'e'))
  session.continueFrom(state, noChanges)
  session.send(createEvent('two', 'b'))
  session.send(createEvent('four', 'd'))
  session.send(createEvent('six', 'f'))
  resume()
  session.send(createEvent('four', 'd'))
  session.send(createEvent('seven', 'g'))
  assert.deepEqual(received, [
    [3, 'three'],
    [4, 'four'],
    [5, 'five'],
    [6, 'six'],
    [7, 'RESUMED'],
    [8, 'seven'],
  ])
  session.completeHandOver()
  session.send(createEvent('four', 'd'))
  assert.deepEqual(received.at(-1), [9, 'four'])
})

test('the changes of visibility during the move are replaced by their result', () => {
  const { session, received, resume } = setUp()
  session.send(createEvent('hidden and revealed again'))
  session.send(createEvent('five', 'e'))
  session.continueFrom(state, { revealed: [createEvent('revealed')], hidden: [createEvent('hidden')] })
  session.send(createEvent('later'))
  resume()
  assert.deepEqual(
    received.map(([, name]) => name),
    ['three', 'four', 'revealed', 'five', 'hidden', 'later', 'RESUMED'],
  )
})

test('a session that moves with more events than the replay buffer stores cannot be resumed', () => {
  const { session } = setUp()
  for (let n = 0; n < 1023; n++) session.send(createEvent(String(n), `own${n}`))
  session.continueFrom(state, noChanges)
  assert.equal(session.canResume(2), false)
  assert.equal(session.canResume(3), true)
})
