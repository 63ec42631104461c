import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { collect, openTestNats, testNatsUrl } from '@gatehouse/testkit/bus'
import { freePort } from '@gatehouse/testkit/free-port'
import { listenTcp } from '@gatehouse/testkit/listen'
import { sendSignal } from '@gatehouse/testkit/signals'
import { BusUnavailable, MAX_TTL_MS } from '../bus.ts'
import { connectNatsBus } from './nats-bus.ts'
import { isSupportedNats } from './nats-connection.ts'

test('the bucket is in memory and has a maximum age (bots/ephemeral)', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const { storage, maxAgeMs } = await opened.nodes[0].describeKv()
  assert.equal(storage, 'memory')
  assert.equal(maxAgeMs, MAX_TTL_MS)
})

test('an existing bucket on disk is rejected', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const [bus] = opened.nodes
  await bus.dropKv()
  const config = { name: `KV_${opened.prefix}`, subjects: [`$KV.${opened.prefix}.>`], storage: 'file' }
  await sendRaw(`$JS.API.STREAM.CREATE.KV_${opened.prefix}`, JSON.stringify(config))
  const connecting = connectNatsBus(testNatsUrl, { prefix: opened.prefix })
  await assert.rejects(connecting, (error: Error) => /not in memory/.test(String(error.cause)))
  await bus.dropKv()
})

test('a deleted bucket is created again at the next use', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const [a, b] = opened.nodes
  await a.kv.set('k', 'v', 1000)
  await b.dropKv()
  assert.equal(await a.kv.get('k'), undefined)
  await b.dropKv()
  assert.equal(await a.kv.create('k', 'w', 1000), true)
  assert.equal((await b.kv.get('k'))?.value, 'w')
  await b.dropKv()
  assert.equal(await a.kv.delete('k'), false)
})

test('services with different prefixes do not share messages or keys', async t => {
  const [mine, other] = [await openTestNats(t), await openTestNats(t)]
  if (!mine || !other) return
  const seen = collect()
  await mine.nodes[1].subscribe('channel.1', seen.handler)
  await mine.nodes[0].kv.set('k', 'mine', 1000)
  other.nodes[0].publish('channel.1', 'other')
  await other.nodes[0].request('flush', 1, 1000).catch(() => {})
  mine.nodes[0].publish('channel.1', 'mine')
  assert.deepEqual(await seen.upTo(1), ['mine'])
  assert.equal(await other.nodes[0].kv.get('k'), undefined)
})

test('a message that is not JSON or is too large is dropped and passed to onError', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const [a] = opened.nodes
  a.publish('channel.1', 1n)
  a.publish('channel.1', 'x'.repeat(2 * 1024 * 1024))
  assert.equal(opened.errors.length, 2)
  assert.equal(a.healthy(), true)
})

test('connecting without a server rejects with BusUnavailable, without the password', async () => {
  const port = await freePort()
  await assert.rejects(
    connectNatsBus(`nats://me:secret@127.0.0.1:${port}`),
    (error: Error) => error instanceof BusUnavailable && !`${error.stack} ${error.cause}`.includes('secret'),
  )
})

test('the bus reconnects after the server restarts', async t => {
  const server = await startNatsServer(t)
  if (!server) return
  const changes = collect()
  const seen = collect()
  const errors: unknown[] = []
  const bus = await connectNatsBus(server.url, {
    reconnectMs: 20,
    onConnectionChange: changes.handler,
    onError: error => errors.push(error),
  })
  t.after(() => bus.close())
  await bus.subscribe('channel.1', seen.handler)
  await bus.respond('app.1', async () => 'reply')
  await bus.kv.set('k', 'v', MAX_TTL_MS)

  await server.kill()
  assert.deepEqual(await changes.upTo(1), [false])
  assert.equal(bus.healthy(), false)
  for (let i = 0; i < 3; i++) bus.publish('channel.1', 'lost')
  assert.equal(errors.length, 1)
  await assert.rejects(bus.request('app.1', 1, 60_000), BusUnavailable)
  await assert.rejects(
    bus.subscribe('channel.2', () => {}),
    BusUnavailable,
  )
  await assert.rejects(bus.kv.get('k'), BusUnavailable)

  await server.start()
  assert.deepEqual(await changes.upTo(2), [false, true])
  assert.equal(bus.healthy(), true)
  assert.match(String(errors[1]), /3 messages were not sent/)
  bus.publish('channel.1', 'back')
  assert.deepEqual(await seen.upTo(1), ['back'])
  assert.equal(await bus.request('app.1', 1, 2000), 'reply')
  assert.equal(await bus.kv.get('k'), undefined)
  assert.equal(await bus.kv.create('k', 'w', 60_000), true)
})

test('the bus can be closed while the server is down', async t => {
  const server = await startNatsServer(t)
  if (!server) return
  const changes = collect()
  const bus = await connectNatsBus(server.url, { reconnectMs: 20, onConnectionChange: changes.handler })
  t.after(() => bus.close())
  await server.kill()
  await changes.upTo(1)
  await bus.close()
  assert.equal(bus.healthy(), false)
})

test('a server that is stopped with SIGSTOP is unavailable within seconds, and its bus can be closed', async t => {
  const server = await startNatsServer(t)
  if (!server) return
  const bus = await connectNatsBus(server.url, { onError() {} })
  t.after(() => bus.close())
  const seen = collect()
  await server.signal('SIGSTOP')
  await Promise.all([
    assert.rejects(bus.subscribe('channel.1', seen.handler), BusUnavailable),
    assert.rejects(
      bus.respond('app.1', async () => 'reply'),
      BusUnavailable,
    ),
    assert.rejects(bus.kv.get('k'), BusUnavailable),
    assert.rejects(bus.kv.set('k', 'v', 1000), BusUnavailable),
  ])
  await server.signal('SIGCONT')
  await bus.subscribe('channel.1', seen.handler)
  bus.publish('channel.1', 'back')
  assert.deepEqual(await seen.upTo(1), ['back'])
  await server.signal('SIGSTOP')
  await bus.close()
  assert.equal(bus.healthy(), false)
})

test('a server before 2.9 is rejected with a message', async t => {
  const old = await listenTcp(t, socket => {
    socket.write(
      'INFO {"server_id":"x","version":"2.8.4","proto":1,"headers":true,"max_payload":1048576}\r\n',
    )
    socket.on('data', data => String(data).includes('PING') && socket.write('PONG\r\n'))
    socket.on('error', () => {})
  })
  await assert.rejects(
    connectNatsBus(`nats://127.0.0.1:${old.port}`),
    /NATS 2\.9 or newer is needed.* 2\.8\.4/,
  )
})

test('versions from 2.9 on are supported', () => {
  for (const version of ['2.9.0', '2.9.10', '2.10.4', '3.0.0'])
    assert.equal(isSupportedNats(version), true, version)
  for (const version of ['2.8.4', '1.9.0', '', 'unknown'])
    assert.equal(isSupportedNats(version), false, version)
})

/** Starts a nats-server that the test can kill and restart. Skips the test if none is installed. */
async function startNatsServer(t: TestContext) {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-nats-'))
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const started = spawn('nats-server', ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', folder], {
      stdio: 'ignore',
    })
    await once(started, 'spawn')
    child = started
    while (!(await isListening(port))) {
      if (started.exitCode !== null) throw new Error('nats-server exited during the start')
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  t.after(async () => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  })
  try {
    await start()
  } catch (error) {
    if (process.env.REQUIRE_SERVICES === '1') throw error
    t.skip('nats-server is not installed')
    return undefined
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    kill,
    signal: async (signal: NodeJS.Signals) => child && sendSignal(child, signal),
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'data')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Publishes with the NATS protocol directly, because the bus does not create such a stream. */
async function sendRaw(subject: string, payload: string): Promise<void> {
  const { hostname, port } = new URL(testNatsUrl)
  const socket: Socket = connect(Number(port), hostname)
  const length = Buffer.byteLength(payload)
  socket.write(`CONNECT {"verbose":false}\r\nSUB reply 1\r\nPUB ${subject} reply ${length}\r\n${payload}\r\n`)
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.includes('MSG reply')) break
  }
  socket.destroy()
}
