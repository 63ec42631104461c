import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type LocalServer, startNats } from '@gatehouse/testkit/local-servers'
import { bothEngines, type Fault, type FaultContext } from './fault.ts'
import {
  assertInteracts,
  assertNoneLost,
  assertWorks,
  createTarget,
  type Target,
  waitUntilReady,
} from './target.ts'
import { assertUnavailable, describe, runWorkload, type WorkloadResult } from './workload.ts'

/** Kills PostgreSQL with SIGKILL and restarts it, several times. */
export const postgresFault: Fault = {
  name: 'postgres',
  invariant: 'database restart: 503 with Retry-After, no partial writes, recovery without a restart',
  engines: ['PostgreSQL'],
  timeoutMs: 240_000,
  async run(context) {
    const { postgres: server } = context
    assert.ok(server)
    return restartRepeatedly(context, {}, async target => {
      const result = await runWorkload(
        target,
        restart(target, server, 700, () => wait(2000)),
      )
      assertUnavailable(result)
      await waitUntilReady(target)
      return result
    })
  },
}

/** Kills NATS with SIGKILL and restarts it, several times. */
export const busFault: Fault = {
  name: 'bus',
  invariant:
    'bus restart: no successful request is lost, bots and gateway sessions recover without a restart',
  engines: bothEngines,
  timeoutMs: 240_000,
  async run(context) {
    const server = context.use('nats-server', await startNats())
    return restartRepeatedly(context, { NATS_URL: server.url }, async target => {
      await assertInteracts(target)
      const session = await target.connectUser()
      const interact = async () => {
        await wait(1000)
        const { status, text } = await target.invoke()
        assert.ok([202, 503].includes(status), `interaction: ${status} ${text}`)
      }
      const result = await runWorkload(target, restart(target, server, 500, interact))
      await waitUntilReady(target)
      await assertInteracts(target)
      const content = randomUUID()
      assert.equal((await target.post(content)).status, 200)
      let event = await session.next('MESSAGE_CREATE')
      while (event && event.d.content !== content) event = await session.next('MESSAGE_CREATE')
      // The service may also have ended the session with Reconnect.
      const reason = event ?? (await Promise.race([session.ended, wait(0)]))
      assert.ok(event || reason === 'the service restarts', `an open session receives no events: ${reason}`)
      session.close()
      return result
    })
  },
}

async function restartRepeatedly(
  context: FaultContext,
  env: Record<string, string>,
  round: (target: Target) => Promise<WorkloadResult>,
): Promise<string> {
  const target = await createTarget(context, await context.startService({ env }))
  const results: WorkloadResult[] = []
  for (let number = 0; number < (context.short ? 2 : 5); number++) {
    results.push(await round(target))
    await assertWorks(target)
    await assertNoneLost(
      target,
      results.flatMap(({ contents }) => contents),
    )
  }
  return `${results.length} restarts: ${results.map(describe).join('; ')}`
}

/** Kills and starts the server. Runs `f` in between, while the service must not be ready. */
async function restart(
  target: Target,
  server: LocalServer,
  delayMs: number,
  f: () => Promise<void>,
): Promise<void> {
  await wait(delayMs)
  await server.kill()
  await f()
  assert.equal((await target.send('/readyz')).status, 503)
  await server.start()
}
