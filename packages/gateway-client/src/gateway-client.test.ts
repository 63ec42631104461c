import assert from 'node:assert/strict'
import test from 'node:test'
import { CloseCode, Op } from '@gatehouse/protocol/gateway-codes'
import {
  createGatewayClient,
  type GatewayClientOptions,
  type GatewaySocket,
  type SocketHandlers,
} from './gateway-client.ts'

interface FakeSocket extends GatewaySocket, SocketHandlers {
  url: string
  sent: { op: number; d?: unknown }[]
  closedWith: number | undefined
  receive(frame: unknown): void
}

const timing = { firstDelayMs: 1000, maxDelayMs: 30_000, helloTimeoutMs: 10_000 }

/** Timers that run when the test advances them, in order. */
function createFakeTimers() {
  let now = 0
  let pending: { at: number; work: () => void }[] = []
  return {
    after(ms: number, work: () => void) {
      const entry = { at: now + ms, work }
      pending.push(entry)
      return () => {
        pending = pending.filter(other => other !== entry)
      }
    },
    advance(ms: number) {
      const end = now + ms
      for (;;) {
        const next = pending.filter(entry => entry.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        now = next.at
        pending = pending.filter(entry => entry !== next)
        next.work()
      }
      now = end
    },
    get count() {
      return pending.length
    },
  }
}

function setUp({ random = 0.5, token, identify, restartDelayMs }: Options = {}) {
  const sockets: FakeSocket[] = []
  const events: { t: string; d: unknown }[] = []
  const disconnects: { reason: string; retryMs: number }[] = []
  const seen = { authenticationFailures: 0 }
  const rejections: string[] = []
  const timers = createFakeTimers()
  const client = createGatewayClient({
    ...(token === undefined ? {} : { token }),
    ...(identify === undefined ? {} : { identify }),
    resolveUrl: resumeUrl => resumeUrl ?? 'ws://gate/api/gateway/ws',
    openSocket: (url, handlers) => {
      const socket: FakeSocket = {
        ...handlers,
        url,
        sent: [],
        closedWith: undefined,
        send: text => socket.sent.push(JSON.parse(text)),
        close: code => {
          socket.closedWith = code
        },
        receive: frame => socket.onMessage(JSON.stringify(frame)),
      }
      sockets.push(socket)
      return socket
    },
    timers,
    random: () => random,
    timing: { ...timing, ...(restartDelayMs === undefined ? {} : { restartDelayMs }) },
    onEvent: event => events.push(event),
    onDisconnect: (reason, retryMs) => disconnects.push({ reason, retryMs }),
    onAuthenticationFailed: () => {
      seen.authenticationFailures += 1
    },
    onIdentifyRejected: (code, reason) => rejections.push(`${code} ${reason}`),
  })
  const last = () => {
    const socket = sockets.at(-1)
    assert.ok(socket)
    return socket
  }
  return { client, sockets, events, disconnects, seen, rejections, timers, last }
}

interface Options {
  random?: number
  token?: string
  identify?: GatewayClientOptions<{ t: string; d: unknown }>['identify']
  restartDelayMs?: number
}

const hello = { op: Op.hello, d: { heartbeatInterval: 40_000 } }
const ready = (s = 1) => ({
  op: Op.dispatch,
  s,
  t: 'READY',
  d: { sessionId: 'one', resumeUrl: 'ws://other/api/gateway/ws', user: {}, servers: [] },
})

function becomeReady(parts: ReturnType<typeof setUp>) {
  parts.client.open()
  parts.last().receive(hello)
  parts.last().receive(ready())
}

test('identifies after hello, without a token if it has none', () => {
  const parts = setUp()
  becomeReady(parts)
  assert.deepEqual(parts.last().sent, [{ op: 2, d: {} }])
  assert.deepEqual(parts.events, [{ t: 'READY', d: ready().d }])
})

test('identifies and resumes with its token', () => {
  const parts = setUp({ token: 'gbt_x' })
  becomeReady(parts)
  parts.last().onClose(1006, '')
  parts.timers.advance(timing.firstDelayMs)
  parts.last().receive(hello)
  assert.deepEqual(
    parts.sockets.map(({ sent }) => sent),
    [[{ op: 2, d: { token: 'gbt_x' } }], [{ op: 6, d: { token: 'gbt_x', sessionId: 'one', seq: 1 } }]],
  )
})

test('the first heartbeat follows after interval × random, the next after the interval', () => {
  const parts = setUp({ random: 0.25 })
  becomeReady(parts)
  parts.last().receive({ op: Op.dispatch, s: 7, t: 'COMMANDS_UPDATE', d: { serverId: '1' } })
  parts.timers.advance(9_999)
  assert.equal(parts.last().sent.length, 1)
  parts.timers.advance(1)
  assert.deepEqual(parts.last().sent[1], { op: 1, d: 7 })
  parts.last().receive({ op: Op.heartbeatAck })
  parts.timers.advance(40_000)
  assert.deepEqual(parts.last().sent[2], { op: 1, d: 7 })
})

test('drops the socket and resumes on another if a heartbeat is not acknowledged', () => {
  const parts = setUp()
  becomeReady(parts)
  const first = parts.last()
  parts.timers.advance(20_000)
  parts.timers.advance(40_000)
  assert.equal(first.closedWith, 4900)
  parts.timers.advance(timing.firstDelayMs)
  assert.equal(parts.sockets.length, 2)
  assert.equal(parts.last().url, 'ws://other/api/gateway/ws')
  parts.last().receive(hello)
  assert.deepEqual(parts.last().sent, [{ op: 6, d: { sessionId: 'one', seq: 1 } }])
  parts.last().receive({ op: Op.dispatch, s: 2, t: 'RESUMED', d: {} })
  assert.equal(parts.events.at(-1)?.t, 'RESUMED')
})

test('identifies on the same socket if the service rejects a resume', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.last().onClose(1006, '')
  parts.timers.advance(timing.firstDelayMs)
  parts.last().receive(hello)
  parts.last().receive({ op: Op.invalidSession, d: false })
  parts.timers.advance(1000)
  assert.deepEqual(
    parts.last().sent.map(frame => frame.op),
    [6, 2],
  )
  assert.equal(parts.sockets.length, 2)
})

test('resumes after op 7 and after close code 1012', () => {
  for (const leave of ['op7', '1012']) {
    const parts = setUp()
    becomeReady(parts)
    if (leave === 'op7') parts.last().receive({ op: Op.reconnect })
    else parts.last().onClose(CloseCode.serviceRestart, '')
    parts.timers.advance(timing.firstDelayMs)
    parts.last().receive(hello)
    assert.equal(parts.last().sent[0]?.op, 6, leave)
  }
})

test('spreads the retry after a restart over restartDelayMs', () => {
  const parts = setUp({ random: 0.1, restartDelayMs: 2000 })
  becomeReady(parts)
  parts.last().onClose(CloseCode.serviceRestart, 'restart')
  assert.deepEqual(parts.disconnects, [{ reason: 'closed with 1012 restart', retryMs: 200 }])
})

test('does not reconnect after 4004', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.last().onClose(CloseCode.badToken, '')
  parts.timers.advance(120_000)
  assert.equal(parts.sockets.length, 1)
  assert.equal(parts.seen.authenticationFailures, 1)
  assert.equal(parts.disconnects.length, 0)
})

test('sends intents and shard with identify, and not with a resume', () => {
  const parts = setUp({ token: 'gbt_x', identify: { intents: ['messages'], shard: [0, 2] } })
  becomeReady(parts)
  assert.deepEqual(parts.last().sent, [
    { op: 2, d: { token: 'gbt_x', intents: ['messages'], shard: [0, 2] } },
  ])
  parts.last().onClose(1006, '')
  parts.timers.advance(timing.firstDelayMs)
  parts.last().receive(hello)
  assert.deepEqual(parts.last().sent, [{ op: 6, d: { token: 'gbt_x', sessionId: 'one', seq: 1 } }])
})

test('does not reconnect after the service rejected the shard or the intents', () => {
  for (const code of [CloseCode.invalidShard, CloseCode.invalidIntents, CloseCode.disallowedIntents]) {
    const parts = setUp()
    becomeReady(parts)
    parts.last().onClose(code, 'why')
    parts.timers.advance(120_000)
    assert.deepEqual([parts.sockets.length, parts.rejections], [1, [`${code} why`]])
  }
})

test('identifies with a new session after a close code that ends the session', () => {
  for (const code of [4001, 4002, 4003, 4005, 4007]) {
    const parts = setUp()
    becomeReady(parts)
    parts.last().onClose(code, '')
    parts.timers.advance(timing.firstDelayMs)
    parts.last().receive(hello)
    assert.equal(parts.last().sent[0]?.op, 2, String(code))
  }
})

test('waits for the maximum delay after 4008 and 4015', () => {
  for (const code of [CloseCode.rateLimited, CloseCode.tooManyConnections]) {
    const parts = setUp()
    becomeReady(parts)
    parts.last().onClose(code, '')
    assert.equal(parts.disconnects[0]?.retryMs, timing.maxDelayMs, String(code))
  }
})

test('doubles the delay up to the maximum, and starts again after READY', () => {
  const parts = setUp({ random: 1 })
  parts.client.open()
  const delays: number[] = []
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const before = parts.sockets.length
    parts.last().onClose(1006, '')
    let waited = 0
    while (parts.sockets.length === before) {
      parts.timers.advance(500)
      waited += 500
    }
    delays.push(waited)
  }
  assert.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  parts.last().receive(hello)
  parts.last().receive(ready())
  parts.last().onClose(1006, '')
  const before = parts.sockets.length
  parts.timers.advance(1000)
  assert.equal(parts.sockets.length, before + 1)
})

test('jitter shortens a delay by half at most', () => {
  const parts = setUp({ random: 0 })
  parts.client.open()
  parts.last().onClose(1006, '')
  parts.timers.advance(499)
  assert.equal(parts.sockets.length, 1)
  parts.timers.advance(1)
  assert.equal(parts.sockets.length, 2)
})

test('drops a socket that receives no hello within the timeout', () => {
  const parts = setUp()
  parts.client.open()
  parts.timers.advance(timing.helloTimeoutMs)
  assert.equal(parts.sockets[0]?.closedWith, 4900)
  parts.timers.advance(timing.firstDelayMs)
  assert.equal(parts.sockets.length, 2)
})

test('retryNow ends the delay, and does nothing while connected', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.client.retryNow()
  assert.equal(parts.sockets.length, 1)
  parts.last().onClose(1006, '')
  parts.client.retryNow()
  assert.equal(parts.sockets.length, 2)
  parts.timers.advance(timing.firstDelayMs)
  assert.equal(parts.sockets.length, 2)
})

test('ignores events of a socket that it left, and frames that it cannot parse', () => {
  const parts = setUp()
  becomeReady(parts)
  const old = parts.last()
  old.onMessage('no json')
  old.onMessage('null')
  old.onClose(1006, '')
  parts.client.retryNow()
  old.receive({ op: Op.dispatch, s: 99, t: 'COMMANDS_UPDATE', d: { serverId: '1' } })
  old.onClose(CloseCode.badToken, '')
  assert.deepEqual(
    parts.events.map(({ t }) => t),
    ['READY'],
  )
  assert.equal(parts.seen.authenticationFailures, 0)
})

test('close closes the socket with 1000 and leaves no timer', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.client.close()
  assert.equal(parts.last().closedWith, 1000)
  assert.equal(parts.timers.count, 0)
})

test('leaves no timer if onDisconnect closes the client', () => {
  const timers = createFakeTimers()
  const client = createGatewayClient({
    resolveUrl: () => 'ws://gate',
    openSocket: () => {
      throw new SyntaxError('invalid URL')
    },
    timers,
    random: () => 0.5,
    timing,
    onEvent: () => {},
    onDisconnect: () => client.close(),
    onAuthenticationFailed: () => {},
  })
  client.open()
  assert.equal(timers.count, 0)
})

test('sends a heartbeat when the service requests one', () => {
  const parts = setUp()
  becomeReady(parts)
  parts.last().receive({ op: Op.heartbeat })
  assert.deepEqual(parts.last().sent.at(-1), { op: 1, d: 1 })
})
