import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { bothEngines, type Fault } from './fault.ts'
import { assertNoneLost, createTarget } from './target.ts'

const workers = 30

/** Sends SIGTERM during requests and with open gateway sessions. */
export const stopFault: Fault = {
  name: 'stop',
  invariant: 'every request in flight gets a response, gateway sessions get Reconnect, exit within 10 s',
  engines: bothEngines,
  timeoutMs: 180_000,
  async run(context) {
    const rounds = context.short ? 2 : 10
    let responses = 0
    let slowestMs = 0
    const service = await context.startService()
    const target = await createTarget(context, service)
    for (let round = 0; round < rounds; round++) {
      const sessions = [await target.connectBot(), await target.connectUser()]
      const contents: string[] = []
      let stopping = false
      const load = Array.from({ length: workers }, async (_, worker) => {
        // Each worker has a request in flight when the signal is sent. Its connection stays open, as with a proxy.
        for (let number = 0; !stopping; number++) {
          const content = `stop ${round} ${worker} ${number}`
          const { status, text } = await target.post(content)
          assert.ok(status === 200 || status === 503, `${status} ${text}`)
          if (status === 200) contents.push(content)
          responses++
        }
      })
      await wait(500)
      stopping = true
      const start = performance.now()
      // A rejection: a request in flight got no response.
      const [code] = await Promise.all([service.end('SIGTERM'), ...load])
      const ms = performance.now() - start
      slowestMs = Math.max(slowestMs, ms)
      assert.equal(code, 0, 'exit code')
      assert.ok(ms < 10_000, `the exit took ${ms} ms`)
      for (const session of sessions) assert.equal(await session.ended, 'the service restarts')
      await service.start()
      await assertNoneLost(target, contents)
    }
    return `${rounds} stops, ${responses} responses, slowest stop ${Math.round(slowestMs)} ms`
  },
}
