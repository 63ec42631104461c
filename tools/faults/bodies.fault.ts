import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { memoryOf } from '../../bench/children.ts'
import { assertWorks, type Community, makeCommunity } from './community.ts'
import type { Fault } from './fault.ts'

const mebibyte = 1024 * 1024
const idleConnections = 1000
// A body must arrive within 30 s, which the service checks every second (webhooks/bodies).
const slowLimitMs = 36_000

/** Sends bodies that are too large, endless, slow or deeply nested, and opens idle connections. */
export const bodiesFault: Fault = {
  name: 'bodies',
  holds: 'invalid bodies are rejected in bounded time and memory; other requests succeed',
  limitMs: 300_000,
  async run(trial) {
    const service = await trial.start()
    const community = await makeCommunity(trial, service)
    await assertWorks(community)
    const pid = service.pid() ?? 0
    const before = memoryOf(pid)

    const large = await community.send(community.webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'x'.repeat(2 * mebibyte) }),
    })
    assert.equal(large.status, 413, large.text)
    for (const depth of [33, 100_000]) {
      const deep = await community.send(community.webhook, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '['.repeat(depth) + ']'.repeat(depth),
      })
      assert.equal(deep.status, 400, `depth ${depth}: ${deep.text}`)
    }

    const endless = await Promise.all(Array.from({ length: 20 }, () => sendEndless(community)))
    for (const { status, sent } of endless) {
      assert.ok(status === 413 || status === 0, `endless: ${status}`)
      assert.ok(sent < 16 * mebibyte, `the service accepted ${sent} bytes of an endless body`)
    }

    const idle = await Promise.all(
      Array.from({ length: idleConnections }, () => openConnection(service.port)),
    )
    const slow = trial.short ? undefined : sendSlowly(community)
    await assertWorks(community)
    const slowMs = await slow
    if (slowMs !== undefined) assert.ok(slowMs < slowLimitMs, `a slow body was accepted for ${slowMs} ms`)
    await assertWorks(community)
    for (const socket of idle) socket.destroy()
    const growth = memoryOf(pid) - before
    assert.ok(growth < 200 * mebibyte, `memory grew by ${Math.round(growth / mebibyte)} MiB`)
    const slowResult =
      slowMs === undefined ? 'not tried in a short run' : `cut off after ${Math.round(slowMs / 1000)} s`
    return `${idleConnections} idle connections, 20 endless bodies, one slow body ${slowResult}; memory +${Math.round(growth / mebibyte)} MiB`
  },
}

function openConnection(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
    socket.on('error', () => undefined)
  })
}

/** Sends an endless chunked body. `status` is 0 if the connection closed without a response. */
async function sendEndless({ service, webhook }: Community): Promise<{ status: number; sent: number }> {
  const socket = await openConnection(service.port)
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  socket.write(
    `POST ${webhook} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  let sent = 0
  let status = 0
  return new Promise(resolve => {
    const end = () => {
      socket.destroy()
      resolve({ status, sent })
    }
    socket.on('data', data => {
      status = Number(String(data).slice(9, 12))
      end()
    })
    socket.on('close', end)
    function writeChunks(): void {
      while (!socket.destroyed && sent < 64 * mebibyte) {
        sent += chunk.length
        if (!socket.write(chunk)) {
          socket.once('drain', writeChunks)
          return
        }
      }
      if (!socket.destroyed) end()
    }
    writeChunks()
  })
}

/** Sends one byte per second. Returns the milliseconds until a response or the end of the connection. */
async function sendSlowly({ service, webhook }: Community): Promise<number> {
  const socket = await openConnection(service.port)
  const start = performance.now()
  socket.write(
    `POST ${webhook} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  )
  const timer = setInterval(() => socket.write(' '), 1000)
  const timeout = setTimeout(() => socket.destroy(), slowLimitMs + 5000)
  await new Promise(resolve => {
    socket.once('data', resolve)
    socket.once('close', resolve)
  })
  clearInterval(timer)
  clearTimeout(timeout)
  socket.destroy()
  return performance.now() - start
}
