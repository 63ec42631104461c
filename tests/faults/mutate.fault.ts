import assert from 'node:assert/strict'
import { createFixture } from '@gatehouse/testkit/fixture'
import { readMemory } from '@gatehouse/testkit/service-process'
import fc from 'fast-check'
import { Pool } from 'undici'
import { listOperations } from '../api-requests/generate.ts'
import { bothEngines, type Fault } from './fault.ts'
import { type HttpRequest, listKnownValues, listPages, requestArbitrary } from './requests.ts'
import { assertWorks, createTarget } from './target.ts'
import { formatStatuses } from './workload.ts'

const connections = 16
const responseTimeoutMs = 10_000
const maxGrowth = 150 * 1024 * 1024

/** Sends mutated requests to every operation of the OpenAPI document, and to the pages, which it leaves out. */
export const mutateFault: Fault = {
  name: 'mutate',
  invariant: 'mutated requests to every route: no 5xx, no hang, no memory growth',
  engines: bothEngines,
  timeoutMs: 900_000,
  async run(context) {
    const numRuns = Math.ceil((context.short ? 5000 : 100_000) / connections)
    const service = await context.startService({ env: { LOG_LEVEL: 'info' } })
    const target = await createTarget(context, service)
    const documented = listOperations((await target.send('/api/openapi.json')).body)
    assert.ok(documented.length > 50, 'the OpenAPI document lists too few operations')
    const operations = [...documented, ...listPages()]
    const known = listKnownValues(target)
    const statuses = new Map<number, number>()
    const successful = new Set<string>()
    const memory: number[] = []
    let runs = 0
    const pool = new Pool(service.url, {
      connections,
      pipelining: 1,
      headersTimeout: responseTimeoutMs,
      bodyTimeout: responseTimeoutMs,
    })
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
        const isClosed =
          error instanceof Error &&
          'code' in error &&
          ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(error.code))
        if (!isClosed) throw new Error(`no response: ${description}`, { cause: error })
      }
    }

    const anyRequest = fc.oneof(
      ...operations.map(operation =>
        requestArbitrary(operation, known).map(
          request => [`${operation.method} ${operation.path}`, request] as const,
        ),
      ),
    )
    const concurrentRequests = fc.array(anyRequest, { minLength: connections, maxLength: connections })
    await fc.assert(
      fc.asyncProperty(concurrentRequests, async requests => {
        if (runs++ % Math.ceil(numRuns / 20) === 0) memory.push(readMemory(service.pid()))
        await Promise.all(requests.map(([operation, request]) => send(operation, request)))
      }),
      // Earlier requests have changed the data, so smaller examples would not be comparable.
      { seed: context.seed, numRuns, endOnFailure: true },
    )
    // The first fifth of the samples is warm-up: compilation and caches.
    const afterWarmUp = memory.slice(4)
    const growth = (afterWarmUp.at(-1) ?? 0) - (afterWarmUp[0] ?? 0)
    assert.ok(growth < maxGrowth, `memory grew by ${Math.round(growth / 2 ** 20)} MiB`)
    assert.equal((await target.send('/readyz')).status, 200)
    const own = await target.send('/api/users/@me', { headers: { cookie: target.cookie } })
    assert.equal(own.status, 200, 'a request has ended the session of the others')
    // A new user, because the requests have changed what the first one has.
    await assertWorks(await createTarget(context, service, await createFixture(service, 'newcomer')))
    return (
      `${runs * connections} requests, seed ${context.seed}, to ${operations.length} operations, ${successful.size} of them with ` +
      `a success: ${formatStatuses(statuses)}; memory ${growth >= 0 ? '+' : ''}${Math.round(growth / 2 ** 20)} MiB`
    )
  },
}
