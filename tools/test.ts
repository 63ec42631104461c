import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runCommand, stopSignal } from './run-command.ts'
import { findServices } from './services/find.ts'

/**
 * `npm test [-- paths] [-- --test-name-pattern=…]`: finds or starts the services that the tests need, runs the tests,
 * and leaves no process behind. With `REQUIRE_SERVICES=1` a missing service is a failure.
 */

const limitMs = 30 * 60_000
const marker = 'GATEHOUSE_TEST_RUN'

const start = performance.now()
const stopping = stopSignal()
const run = randomUUID()
const services = await findServices()
const env = {
  // Hundreds of processes load the same modules. They share the compiled code.
  NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules/.cache/compile'),
  ...process.env,
  ...services.env,
  [marker]: run,
  NODE_TEST_CONTEXT: undefined,
}

if (process.env.REQUIRE_SERVICES === '1' && services.missing.length > 0) {
  for (const reason of services.missing) console.log(`missing: ${reason}`)
  console.log('REQUIRE_SERVICES=1: no test runs without all services.')
  process.exitCode = 1
} else {
  const { code } = await runCommand(
    process.execPath,
    [
      join(import.meta.dirname, 'test-runner.ts'),
      ...services.missing.map(reason => `--missing=${reason}`),
      ...process.argv.slice(2),
    ],
    {
      cwd: process.cwd(),
      env,
      output: 'show',
      timeoutMs: limitMs - (performance.now() - start),
      signal: stopping,
    },
  )
  process.exitCode = code
}
await endMarked(run)
if (services.env.TEST_DATABASE_URL !== undefined) {
  const script = join(import.meta.dirname, 'drop-test-databases.ts')
  await runCommand(process.execPath, [script], {
    cwd: process.cwd(),
    env,
    output: 'show',
    timeoutMs: 30_000,
    signal: new AbortController().signal,
  })
}
await services.stop()

/**
 * Kills the processes that tests started and left running. Children inherit the environment variable with the id of the
 * run. Resolves when they have ended, or after five seconds.
 */
async function endMarked(id: string): Promise<void> {
  if (process.platform !== 'linux') return
  for (let tries = 0; tries < 100; tries++) {
    const left = readdirSync('/proc').filter(name => /^\d+$/.test(name) && isMarked(name, `${marker}=${id}`))
    if (left.length === 0) return
    for (const pid of left) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // The process ended in the meantime.
      }
    }
    await wait(50)
  }
}

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)
  } catch {
    // The process ended, or belongs to another user.
    return false
  }
}
