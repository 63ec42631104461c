import assert from 'node:assert/strict'
import test from 'node:test'
import { backOff, type ConnectionState, createConnection, type Socket } from './connection.ts'

interface FakeSocket extends Socket {
  url: string
  sent: { op: number; d?: unknown }[]
  closedWith: number | undefined
  say(frame: unknown): void
}

/** A clock in hand: `pass` runs what falls due, in order. */
function createHand() {
  let now = 0
  let due: { at: number; work: () => void }[] = []
  return {
    after(ms: number, work: () => void) {
      const entry = { at: now + ms, work }
      due.push(entry)
      return () => {
        due = due.filter(other => other !== entry)
      }
    },
    pass(ms: number) {
      const end = now + ms
      for (;;) {
        const next = due.filter(entry => entry.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        now = next.at
        due = due.filter(entry => entry !== next)
        next.work()
      }
      now = end
    },
    get waiting() {
      return due.length
    },
  }
}

function setUp(random = 0.5) {
  const sockets: FakeSocket[] = []
  const states: ConnectionState[] = []
  const events: { t: string; d: unknown }[] = []
  const seen = { gaps: 0, signedOut: 0 }
  const hand = createHand()
  const connection = createConnection({
    url: 'ws://gate/api/gateway/ws',
    openSocket: url => {
      const socket: FakeSocket = {
        url,
        sent: [],
        closedWith: undefined,
        send: text => socket.sent.push(JSON.parse(text)),
        close: code => {
          socket.closedWith = code
        },
        onMessage: () => {},
        onClose: () => {},
        say: frame => socket.onMessage(JSON.stringify(frame)),
      }
      sockets.push(socket)
      return socket
    },
    timers: hand,
    random: () => random,
    onState: state => states.push(state),
    onEvent: event => events.push(event),
    onGap: () => {
      seen.gaps += 1
    },
    onSignedOut: () => {
      seen.signedOut += 1
    },
  })
  const last = () => {
    const socket = sockets.at(-1)
    assert.ok(socket)
    return socket
  }
  return { connection, sockets, states, events, seen, hand, last }
}

const hello = { op: 10, d: { heartbeatInterval: 40_000 } }
const ready = (s = 1) => ({
  op: 0,
  s,
  t: 'READY',
  d: { sessionId: 'one', resumeUrl: 'ws://other/api/gateway/ws', user: {}, servers: [] },
})

function becomeReady(parts: ReturnType<typeof setUp>) {
  parts.connection.start()
  parts.last().say(hello)
  parts.last().say(ready())
}

test('after hello the client identifies without a token and is ready', () => {
  const parts = setUp()
  becomeReady(parts)
  assert.deepEqual(parts.last().sent, [{ op: 2, d: {} }])
  assert.deepEqual(parts.states, ['connecting', 'ready'])
  assert.equal(parts.seen.gaps, 0)
})

test('the first heartbeat comes after interval × random, the next after the interval, with the last sequence', () => {
  const parts = setUp(0.25)
  becomeReady(parts)
  parts.last().say({ op: 0, s: 7, t: 'COMMANDS_UPDATE', d: { serverId: '1' } })
  parts.hand.pass(9_999)
  assert.equal(parts.last().sent.length, 1)
  parts.hand.pass(1)
  assert.deepEqual(parts.last().sent[1], { op: 1, d: 7 })
  parts.last().say({ op: 11 })
  parts.hand.pass(40_000)
  assert.deepEqual(parts.last().sent[2], { op: 1, d: 7 })
})

test('a heartbeat without an acknowledgement drops the socket and resumes on another', () => {
  const parts = setUp()
  becomeReady(parts)
  const first = parts.last()
  parts.hand.pass(20_000)
  parts.hand.pass(40_000)
  assert.equal(first.closedWith, 4900)
  parts.hand.pass(backOff.firstMs)
  assert.equal(parts.sockets.length, 2)
  assert.equal(parts.last().url, 'ws://other/api/gateway/ws')
  parts.last().say(hello)
  assert.deepEqual(parts.last().sent, [{ op: 6, d: { sessionId: 'one', seq: 1 } }])
  parts.last().say({ op: 0, s: 2, t: 'RESUMED', d: {} })
  assert.deepEqual(parts.states, ['connecting', 'ready', 'reconnecting', 'ready'])
  assert.equal(parts.seen.gaps, 0)
})

test('a resume that is refused identifies on the same socket and tells of the gap', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.last().onClose(1006)
  parts.hand.pass(backOff.firstMs)
  parts.last().say(hello)
  parts.last().say({ op: 9, d: false })
  parts.hand.pass(1000)
  assert.deepEqual(
    parts.last().sent.map(frame => frame.op),
    [6, 2],
  )
  assert.equal(parts.sockets.length, 2)
  parts.last().say(ready(1))
  assert.equal(parts.seen.gaps, 1)
  assert.equal(parts.states.at(-1), 'ready')
})

test('the service’s request to reconnect (op 7) and 1012 lead to a resume', () => {
  for (const leave of ['op7', '1012']) {
    const parts = setUp()
    becomeReady(parts)
    if (leave === 'op7') parts.last().say({ op: 7 })
    else parts.last().onClose(1012)
    parts.hand.pass(backOff.firstMs)
    parts.last().say(hello)
    assert.equal(parts.last().sent[0]?.op, 6, leave)
  }
})

test('4004 ends everything and leads to the sign-in page', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.last().onClose(4004)
  parts.hand.pass(120_000)
  assert.equal(parts.sockets.length, 1)
  assert.equal(parts.seen.signedOut, 1)
  assert.equal(parts.states.at(-1), 'ended')
})

test('a sequence that is not known (4007) identifies anew', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.last().onClose(4007)
  parts.hand.pass(backOff.firstMs)
  parts.last().say(hello)
  assert.equal(parts.last().sent[0]?.op, 2)
})

test('waits grow up to half a minute and start again after a success', () => {
  const parts = setUp(1)
  parts.connection.start()
  const waits: number[] = []
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const before = parts.sockets.length
    parts.last().onClose(1006)
    let waited = 0
    while (parts.sockets.length === before) {
      parts.hand.pass(500)
      waited += 500
    }
    waits.push(waited)
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  parts.last().say(hello)
  parts.last().say(ready())
  parts.last().onClose(1006)
  const before = parts.sockets.length
  parts.hand.pass(1000)
  assert.equal(parts.sockets.length, before + 1)
})

test('jitter keeps at least half of the wait', () => {
  const parts = setUp(0)
  parts.connection.start()
  parts.last().onClose(1006)
  parts.hand.pass(499)
  assert.equal(parts.sockets.length, 1)
  parts.hand.pass(1)
  assert.equal(parts.sockets.length, 2)
})

test('no hello within ten seconds: the socket is given up', () => {
  const parts = setUp()
  parts.connection.start()
  parts.hand.pass(backOff.helloMs)
  assert.equal(parts.sockets[0]?.closedWith, 4900)
  parts.hand.pass(backOff.firstMs)
  assert.equal(parts.sockets.length, 2)
})

test('a nudge while waiting opens at once, and does nothing while connected', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.connection.nudge()
  assert.equal(parts.sockets.length, 1)
  parts.last().onClose(1006)
  parts.connection.nudge()
  assert.equal(parts.sockets.length, 2)
  parts.hand.pass(backOff.firstMs)
  assert.equal(parts.sockets.length, 2)
})

test('frames of a socket that was left are ignored, and nonsense does no harm', () => {
  const parts = setUp()
  becomeReady(parts)
  const old = parts.last()
  old.onMessage('no json')
  old.onMessage('null')
  old.onClose(1006)
  parts.connection.nudge()
  old.say({ op: 0, s: 99, t: 'COMMANDS_UPDATE', d: { serverId: '1' } })
  old.onClose(4004)
  assert.deepEqual(
    parts.events.map(({ t }) => t),
    ['READY'],
  )
  assert.equal(parts.seen.signedOut, 0)
})

test('stopping closes the socket and leaves no timer behind', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.connection.stop()
  assert.equal(parts.last().closedWith, 1000)
  assert.equal(parts.hand.waiting, 0)
})

test('the service may ask for a heartbeat', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.last().say({ op: 1 })
  assert.deepEqual(parts.last().sent.at(-1), { op: 1, d: 1 })
})
