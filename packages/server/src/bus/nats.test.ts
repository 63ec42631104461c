import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../../../tools/free-port.ts'
import { BusUnavailable, MAX_TTL_MS } from './bus.ts'
import { connectNatsBus } from './nats.ts'
import { collect, openTestNats, testNatsUrl } from './testing.ts'

test('D30: the bucket is in the memory of the server, and nothing stays in it for long', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const { storage, maxAgeMs } = await opened.nodes[0].describeTransient()
  assert.equal(storage, 'memory')
  assert.equal(maxAgeMs, MAX_TTL_MS)
})

test('a bucket that somebody made on a disk is refused', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const [bus] = opened.nodes
  await bus.dropTransient()
  const config = { name: `KV_${opened.prefix}`, subjects: [`$KV.${opened.prefix}.>`], storage: 'file' }
  await sendRaw(`$JS.API.STREAM.CREATE.KV_${opened.prefix}`, JSON.stringify(config))
  const refused = connectNatsBus(testNatsUrl, { prefix: opened.prefix })
  await assert.rejects(refused, (error: Error) => /not in memory/.test(String(error.cause)))
  await bus.dropTransient()
})

test('a bucket that is gone is made anew by who needs it next', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const [a, b] = opened.nodes
  await a.transient.set('k', 'v', 1000)
  await b.dropTransient()
  assert.equal(await a.transient.get('k'), undefined)
  await b.dropTransient()
  assert.equal(await a.transient.create('k', 'w', 1000), true)
  assert.equal((await b.transient.get('k'))?.value, 'w')
  await b.dropTransient()
  assert.equal(await a.transient.delete('k'), false)
})

test('services with different prefixes do not meet', async t => {
  const [mine, other] = [await openTestNats(t), await openTestNats(t)]
  if (!mine || !other) return
  const seen = collect()
  await mine.nodes[1].subscribe('channel.1', seen.handler)
  await mine.nodes[0].transient.set('k', 'mine', 1000)
  other.nodes[0].publish('channel.1', 'of the other')
  await other.nodes[0].request('flush', 1, 1000).catch(() => {})
  mine.nodes[0].publish('channel.1', 'mine')
  assert.deepEqual(await seen.upTo(1), ['mine'])
  assert.equal(await other.nodes[0].transient.get('k'), undefined)
})

test('a message that JSON cannot say, or too large for the server, is lost and reported', async t => {
  const opened = await openTestNats(t)
  if (!opened) return
  const [a] = opened.nodes
  a.publish('channel.1', 1n)
  a.publish('channel.1', 'x'.repeat(2 * 1024 * 1024))
  assert.equal(opened.errors.length, 2)
  assert.equal(a.healthy(), true)
})

test('where no server answers at the start, that is said without the password', async () => {
  const port = await freePort()
  await assert.rejects(
    connectNatsBus(`nats://me:secret@127.0.0.1:${port}`),
    (error: Error) => error instanceof BusUnavailable && !`${error.stack} ${error.cause}`.includes('secret'),
  )
})

test('a server that dies and comes back is found again by itself', async t => {
  const server = await openOwnServer(t)
  if (!server) return
  const changes = collect()
  const seen = collect()
  const errors: unknown[] = []
  const bus = await connectNatsBus(server.url, {
    reconnectMs: 20,
    onConnection: changes.handler,
    onError: error => errors.push(error),
  })
  t.after(() => bus.close())
  await bus.subscribe('channel.1', seen.handler)
  await bus.respond('app.1', async () => 'answer')
  await bus.transient.set('k', 'v', 60_000)

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
  await assert.rejects(bus.transient.get('k'), BusUnavailable)

  await server.start()
  assert.deepEqual(await changes.upTo(2), [false, true])
  assert.equal(bus.healthy(), true)
  assert.match(String(errors[1]), /3 messages were not sent/)
  bus.publish('channel.1', 'back')
  assert.deepEqual(await seen.upTo(1), ['back'])
  assert.equal(await bus.request('app.1', 1, 2000), 'answer')
  assert.equal(await bus.transient.get('k'), undefined)
  assert.equal(await bus.transient.create('k', 'w', 60_000), true)
})

test('a bus without its server can be closed', async t => {
  const server = await openOwnServer(t)
  if (!server) return
  const changes = collect()
  const bus = await connectNatsBus(server.url, { reconnectMs: 20, onConnection: changes.handler })
  await server.kill()
  await changes.upTo(1)
  await bus.close()
  assert.equal(bus.healthy(), false)
})

/** A nats-server of this test alone, that can be killed and started again. Undefined, and skipped, where none is installed. */
async function openOwnServer(t: TestContext) {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-nats-'))
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const started = spawn('nats-server', ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', folder], {
      stdio: 'ignore',
    })
    await once(started, 'spawn')
    child = started
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error('nats-server ended at once')
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
    t.skip('no nats-server on this machine')
    return undefined
  }
  return { url: `nats://127.0.0.1:${port}`, start, kill }
}

async function answers(port: number): Promise<boolean> {
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

/** One message in the protocol's own words, for what the bus would not do. */
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
