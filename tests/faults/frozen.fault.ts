import assert from 'node:assert/strict'
import { startNats } from '@gatehouse/testkit/local-servers'
import { bothEngines, type Fault } from './fault.ts'
import { assertInteracts, assertWorks, createTarget, waitUntilReady } from './target.ts'

const maxResponseMs = 6000
const maxShutdownMs = 10_000

/** Stops the process of NATS with SIGSTOP: connections stay open, and nothing responds. */
export const frozenFault: Fault = {
  name: 'frozen',
  invariant: `bus frozen: every request gets a response within ${maxResponseMs / 1000} s, also the shutdown; recovery without a restart`,
  engines: bothEngines,
  timeoutMs: 180_000,
  async run(context) {
    const server = context.use('nats-server', await startNats())
    const service = await context.startService({ env: { NATS_URL: server.url } })
    const target = await createTarget(context, service)
    await assertInteracts(target)
    // A session of a bot, so that the interactions of this bot wait for the bus.
    const bot = await target.connectBot()
    let slowestMs = 0
    const measure = async (request: () => ReturnType<typeof target.send>, ...statuses: number[]) => {
      const start = performance.now()
      const { status, text } = await request()
      slowestMs = Math.max(slowestMs, performance.now() - start)
      assert.ok(statuses.includes(status), `${status} ${text}`)
    }
    await server.signal('SIGSTOP')
    // The first requests arrive before the service has noticed, the last ones after it.
    for (let number = 0; number < (context.short ? 2 : 8); number++) {
      await Promise.all([
        measure(() => target.invoke(), 503),
        measure(() => target.post(`frozen ${number}`), 200),
        measure(() => target.listMessages(), 200),
      ])
    }
    assert.ok(slowestMs < maxResponseMs, `a response took ${Math.round(slowestMs)} ms`)
    await server.signal('SIGCONT')
    bot.close()
    await waitUntilReady(target, 20_000)
    await assertWorks(target)
    await assertInteracts(target)

    await server.signal('SIGSTOP')
    const start = performance.now()
    assert.equal(await service.end('SIGTERM'), 0, 'exit code')
    const shutdownMs = performance.now() - start
    assert.ok(shutdownMs < maxShutdownMs, `the shutdown took ${Math.round(shutdownMs)} ms`)
    await server.signal('SIGCONT')
    return `slowest response ${Math.round(slowestMs)} ms, shutdown ${Math.round(shutdownMs)} ms`
  },
}
