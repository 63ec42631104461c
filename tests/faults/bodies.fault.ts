import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { readMemory } from '@gatehouse/testkit/service-process'
import { bothEngines, type Fault } from './fault.ts'
import { assertWorks, createTarget } from './target.ts'

const mebibyte = 1024 * 1024
const idleConnections = 1000
// A body must arrive within 30 s, which the service checks every second (webhooks/bodies).
const slowTimeoutMs = 36_000

/** Sends bodies that are too large, endless, slow or deeply nested, and opens idle connections. */
export const bodiesFault: Fault = {
  name: 'bodies',
  invariant: 'invalid bodies are rejected in bounded time and memory; other requests succeed',
  engines: bothEngines,
  timeoutMs: 300_000,
  async run(context) {
    const service = await context.startService()
    const target = await createTarget(context, service)
    await assertWorks(target)
    const before = readMemory(service.pid())

    const large = await target.post('x'.repeat(2 * mebibyte))
    assert.equal(large.status, 413, large.text)
    for (const depth of [33, 100_000]) {
      const nested = await target.send(target.webhookPath, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '['.repeat(depth) + ']'.repeat(depth),
      })
      assert.equal(nested.status, 400, `depth ${depth}: ${nested.text}`)
    }

    const url = `${service.url}${target.webhookPath}`
    for (const { status, sent } of await Promise.all(Array.from({ length: 20 }, () => sendEndless(url)))) {
      assert.ok(status === 413 || status === undefined, `endless: ${status}`)
      assert.ok(sent < 16 * mebibyte, `the service accepted ${sent} bytes of an endless body`)
    }

    const idle = await Promise.all(
      Array.from({ length: idleConnections }, () => openConnection(service.port)),
    )
    const slow = context.short ? undefined : sendSlowly(service.port, target.webhookPath)
    await assertWorks(target)
    const slowMs = await slow
    if (slowMs !== undefined) assert.ok(slowMs < slowTimeoutMs, `a slow body was accepted for ${slowMs} ms`)
    await assertWorks(target)
    for (const socket of idle) socket.destroy()
    const growth = readMemory(service.pid()) - before
    assert.ok(growth < 200 * mebibyte, `memory grew by ${Math.round(growth / mebibyte)} MiB`)
    const slowResult =
      slowMs === undefined ? 'not tried in a short run' : `cut off after ${Math.round(slowMs / 1000)} s`
    return `${idleConnections} idle connections, 20 endless bodies, one slow body ${slowResult}; memory +${Math.round(growth / mebibyte)} MiB`
  },
}

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket.on('error', () => undefined)
}

/** Sends an endless chunked body. `status` is undefined if the connection closed without a response. */
async function sendEndless(url: string): Promise<{ status: number | undefined; sent: number }> {
  const chunk = Buffer.alloc(65_536, 'x')
  let sent = 0
  const body = Readable.from(
    (function* () {
      for (; sent < 64 * mebibyte; sent += chunk.length) yield chunk
    })(),
  )
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body, duplex: 'half' }).catch(() => undefined)
  await response?.body?.cancel()
  return { status: response?.status, sent }
}

/** Sends one byte per second. Returns the milliseconds until a response or the end of the connection. */
async function sendSlowly(port: number, path: string): Promise<number> {
  const socket = await openConnection(port)
  const start = performance.now()
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  )
  const timer = setInterval(() => socket.write(' '), 1000)
  await Promise.race([once(socket, 'data'), once(socket, 'close'), wait(slowTimeoutMs + 5000)])
  clearInterval(timer)
  socket.destroy()
  return performance.now() - start
}
