import assert from 'node:assert/strict'
import test from 'node:test'
import type { SocketHandlers } from '@gatehouse/gateway-client'
import { CloseCode, Op } from '@gatehouse/protocol/gateway-codes'
import { type ConnectionState, createConnection } from './connection.ts'

function setUp() {
  const sockets: { url: string; sent: number[]; handlers: SocketHandlers }[] = []
  const states: ConnectionState[] = []
  const events: string[] = []
  const seen = { gaps: 0, signedOut: 0 }
  let runTimer = () => {}
  const connection = createConnection({
    url: 'ws://gate/api/gateway/ws',
    openSocket: (url, handlers) => {
      const sent: number[] = []
      sockets.push({ url, sent, handlers })
      return { send: text => sent.push(JSON.parse(text).op), close: () => {} }
    },
    timers: {
      after(_ms, work) {
        runTimer = work
        return () => {}
      },
    },
    random: () => 0.5,
    onState: state => states.push(state),
    onEvent: event => events.push(event.t),
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
  return {
    connection,
    states,
    events,
    seen,
    last,
    receive: (frame: object) => last().handlers.onMessage(JSON.stringify(frame)),
    close: (code: number) => last().handlers.onClose(code, ''),
    runTimer: () => runTimer(),
  }
}

const hello = { op: Op.hello, d: { heartbeatInterval: 40_000 } }
const ready = {
  op: Op.dispatch,
  s: 1,
  t: 'READY',
  d: { sessionId: 'one', resumeUrl: 'ws://other/api/gateway/ws', user: {}, servers: [] },
}

function becomeReady(parts: ReturnType<typeof setUp>) {
  parts.connection.start()
  parts.receive(hello)
  parts.receive(ready)
}

test('is ready after READY, and reports the gap between the first requests and READY', () => {
  const parts = setUp()
  becomeReady(parts)
  assert.deepEqual(parts.states, ['connecting', 'ready'])
  assert.deepEqual(parts.events, ['READY'])
  assert.equal(parts.seen.gaps, 1)
})

test('stays connecting until the first READY', () => {
  const parts = setUp()
  parts.connection.start()
  parts.close(1006)
  parts.runTimer()
  assert.deepEqual(parts.states, ['connecting'])
})

test('is ready after RESUMED, without a gap', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.seen.gaps = 0
  parts.close(1006)
  parts.runTimer()
  assert.equal(parts.last().url, 'ws://other/api/gateway/ws')
  parts.receive(hello)
  parts.receive({ op: Op.dispatch, s: 2, t: 'RESUMED', d: {} })
  assert.deepEqual(parts.last().sent, [Op.resume])
  assert.deepEqual(parts.states, ['connecting', 'ready', 'reconnecting', 'ready'])
  assert.equal(parts.seen.gaps, 0)
})

test('reports a gap if a new session replaces a lost one', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.seen.gaps = 0
  parts.close(1006)
  parts.runTimer()
  parts.receive(hello)
  parts.receive({ op: Op.invalidSession, d: false })
  parts.runTimer()
  parts.receive(ready)
  assert.deepEqual(parts.last().sent, [Op.resume, Op.identify])
  assert.equal(parts.seen.gaps, 1)
  assert.equal(parts.states.at(-1), 'ready')
})

test('ends on 4004 and reports the sign-out', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.close(CloseCode.badToken)
  assert.equal(parts.seen.signedOut, 1)
  assert.equal(parts.states.at(-1), 'ended')
})

test('ends when it is stopped', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.connection.stop()
  assert.equal(parts.states.at(-1), 'ended')
  assert.equal(parts.seen.signedOut, 0)
})
