import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { createFixture } from '@gatehouse/testkit/fixture'
import { readServiceRoutes } from '@gatehouse/testkit/routes'
import { readMemory } from '@gatehouse/testkit/service-process'
import fc from 'fast-check'
import { Pool } from 'undici'
import { listOperations } from '../api-requests/generate.ts'
import { bothEngines, fault } from './fault.ts'
import { assertWorks, formatStatuses } from './load.ts'
import { type HttpRequest, listKnownValues, listPages, requestArbitrary } from './requests.ts'
import { seed, short } from './settings.ts'
import { createTarget } from './target.ts'

const mebibyte = 2 ** 20
const idleConnections = 1000
// A body must arrive within 30 s, which the service checks every second (webhooks/bodies).
const slowTimeoutMs = 36_000
const json = { 'content-type': 'application/json' }
const connections = 16
const responseTimeoutMs = 10_000
/** During a short run the service still warms up. */
const maxGrowthMib = short ? 300 : 150

/** Sends mutated requests to every operation of the OpenAPI document, and to the pages, which it leaves out. */
fault('mutate', bothEngines, 15, 'no 5xx, no hang, no memory growth', async context => {
  const numRuns = Math.ceil((short ? 5000 : 100_000) / connections)
  const target = await context.startTarget({ LOG_LEVEL: 'info' })
  const { service } = target
  const documented = listOperations((await target.send('/api/openapi.json')).body)
  const operations = [...documented, ...listPages(await readServiceRoutes())]
  assert.ok(documented.length > 50, 'the OpenAPI document lists too few operations')
  const known = listKnownValues(target)
  const statuses = new Map<number, number>()
  const successful = new Set<string>()
  const memory: number[] = []
  let runs = 0
  const timeouts = { headersTimeout: responseTimeoutMs, bodyTimeout: responseTimeoutMs }
  const pool = new Pool(service.url, { connections, pipelining: 1, ...timeouts })
  context.after(() => pool.destroy())

  async function send(operation: string, request: HttpRequest): Promise<void> {
    const description = `${operation}: ${JSON.stringify(request).slice(0, 1500)}`
    try {
      const { statusCode, body } = await pool.request(request)
      const text = await body.text()
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
      assert.ok(statusCode < 500, `${statusCode} ${text.slice(0, 120)}: ${description}`)
      if (statusCode < 400) successful.add(operation)
    } catch (error) {
      // The service may close the connection.
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (!['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code))
        throw new Error(`no response: ${description}`, { cause: error })
    }
  }

  const requests = operations.map(operation =>
    fc.tuple(fc.constant(`${operation.method} ${operation.path}`), requestArbitrary(operation, known)),
  )
  const concurrent = fc.array(fc.oneof(...requests), { minLength: connections, maxLength: connections })
  await fc.assert(
    fc.asyncProperty(concurrent, async requests => {
      if (runs++ % Math.ceil(numRuns / 20) === 0) memory.push(readMemory(service.pid()))
      await Promise.all(requests.map(([operation, request]) => send(operation, request)))
    }),
    // Earlier requests have changed the data, so smaller examples would not be comparable.
    { seed, numRuns, endOnFailure: true },
  )
  // The first fifth of the samples is warm-up: compilation and caches.
  const [first = 0, ...later] = memory.slice(4)
  const growth = Math.round(((later.at(-1) ?? 0) - first) / mebibyte)
  const summary =
    `${runs * connections} requests, seed ${seed}, to ${operations.length} operations, ${successful.size} of them ` +
    `with a success: ${formatStatuses(statuses)}; memory ${growth} MiB`
  assert.ok(growth < maxGrowthMib, summary)
  assert.ok(successful.size > operations.length / 3, `the requests are hardly ever valid: ${summary}`)
  assert.equal((await target.send('/readyz')).status, 200)
  const own = await target.readAsUser('/api/users/@me')
  assert.equal(own.status, 200, 'a request has ended the session of the others')
  // A new user, because the requests have changed what the first one has.
  await assertWorks(await createTarget(service, await createFixture(service, 'newcomer')))
  return summary
})

/** Sends bodies that are too large, endless, slow or deeply nested, and opens idle connections. Others are served. */
fault('bodies', bothEngines, 5, 'refused in bounded time and memory', async context => {
  const target = await context.startTarget()
  const { service, webhookPath } = target
  await assertWorks(target)
  const before = readMemory(service.pid())

  const large = await target.post('x'.repeat(2 * mebibyte))
  assert.equal(large.status, 413, large.text)
  for (const depth of [33, 100_000]) {
    const body = '['.repeat(depth) + ']'.repeat(depth)
    const nested = await target.send(webhookPath, { method: 'POST', headers: json, body })
    assert.equal(nested.status, 400, `depth ${depth}: ${nested.text}`)
  }

  const url = `${service.url}${webhookPath}`
  for (const { status, sent } of await Promise.all(Array.from({ length: 20 }, () => sendEndless(url)))) {
    assert.ok(status === 413 || status === undefined, `endless: ${status}`)
    assert.ok(sent < 16 * mebibyte, `the service accepted ${sent} bytes of an endless body`)
  }

  const idle = await Promise.all(Array.from({ length: idleConnections }, () => openConnection(service.port)))
  const slow = short ? undefined : sendSlowly(service.port, webhookPath)
  await assertWorks(target)
  const slowMs = await slow
  if (slowMs !== undefined) assert.ok(slowMs < slowTimeoutMs, `a slow body was accepted for ${slowMs} ms`)
  await assertWorks(target)
  for (const socket of idle) socket.destroy()
  const growth = Math.round((readMemory(service.pid()) - before) / mebibyte)
  assert.ok(growth < 200, `memory grew by ${growth} MiB`)
  const slowBody =
    slowMs === undefined ? 'no slow body' : `a slow body cut off after ${Math.round(slowMs)} ms`
  return `${idleConnections} idle connections, 20 endless bodies, ${slowBody}; memory ${growth} MiB`
})

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket.on('error', () => undefined)
}

/** Sends an endless chunked body. `status` is undefined if the connection closed without a response. */
async function sendEndless(url: string): Promise<{ status: number | undefined; sent: number }> {
  const chunk = Buffer.alloc(65_536, 'x')
  let sent = 0
  function* chunks() {
    for (; sent < 64 * mebibyte; sent += chunk.length) yield chunk
  }
  const init = { method: 'POST', headers: json, body: Readable.from(chunks()), duplex: 'half' } as const
  const response = await fetch(url, init).catch(() => undefined)
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
