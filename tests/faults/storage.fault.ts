import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { startPostgresPair } from '@gatehouse/testkit/local-servers'
import { type FaultContext, fault, Skip } from './fault.ts'
import {
  assertUnavailable,
  assertWorks,
  Load,
  repeatRounds,
  restart,
  runOnNodes,
  runWorkload,
} from './load.ts'
import { short } from './settings.ts'
import { createTarget } from './target.ts'

const maxOutageMs = 10_000

/** Another connection locks the SQLite database for longer than the busy timeout of the service. Reads succeed. */
fault('locked', ['SQLite'], 2, '503 with Retry-After, then recovery', async context => {
  const target = await context.startTarget()
  const other = new DatabaseSync(join(target.service.folder, 'gatehouse.db'))
  other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
  const load = new Load()
  const responses = await runWorkload(target, load, wait(8000))
  assertUnavailable(responses)
  other.exec('ROLLBACK')
  other.close()
  await assertWorks(target)
  await load.assertKept(target)
  return responses.summary
})

/** Fills the file system of the service, then frees the space. */
fault('disk', ['SQLite'], 2, '503 with Retry-After, no partial writes, recovery', async context => {
  const mountPoint = mountFileSystem(context)
  const folder = join(mountPoint, 'data')
  mkdirSync(folder)
  const target = await createTarget(await context.startService({ folder }))
  const load = new Load()
  await runWorkload(target, load, wait(500))
  const filler = join(mountPoint, 'filler')
  fillFileSystem(filler)
  const full = await runWorkload(target, load, wait(short ? 2000 : 6000))
  assertUnavailable(full)
  truncateSync(filler)
  await assertWorks(target)
  await load.assertKept(target)
  // A new process must be able to open the database and read the same data.
  await target.service.end('SIGKILL')
  await target.service.start()
  await load.assertKept(target)
  await assertWorks(target)
  return full.summary
})

/** Mounts a file system of 64 MiB until the end of the fault. Returns its folder. */
function mountFileSystem(context: FaultContext): string {
  if (process.getuid?.() !== 0) throw new Skip('only root can mount a tmpfs')
  const mountPoint = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', mountPoint], { stdio: 'pipe' })
  } catch {
    throw new Skip('mounting a tmpfs failed')
  }
  context.after(() => {
    execFileSync('umount', ['-l', mountPoint])
    rmSync(mountPoint, { recursive: true })
  })
  return mountPoint
}

/** Appends to `file` until the file system is full. */
function fillFileSystem(file: string): void {
  for (const size of [2 ** 20, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}

/** Kills PostgreSQL with SIGKILL and restarts it, several times. */
fault('postgres', ['PostgreSQL'], 4, '503 with Retry-After, no partial writes, recovery', async context => {
  const { postgres: server } = context
  assert.ok(server)
  const target = await context.startTarget()
  return repeatRounds(target, async load => {
    const responses = await runWorkload(
      target,
      load,
      restart(target, server, 700, () => wait(2000)),
    )
    assertUnavailable(responses)
    await target.waitUntilReady()
    return responses.summary
  })
})

/**
 * Kills the primary of two PostgreSQL servers and promotes the synchronous standby: nothing that was answered is
 * lost, and no code, refresh token or callback works twice.
 */
fault('failover', ['PostgreSQL'], 4, 'all nodes go on within 10 s, nothing is lost', async context => {
  const pair = context.use('pg_basebackup of PostgreSQL', await startPostgresPair())
  const nodes = await context.startNodes([{}, {}], { DATABASE_URL: pair.url })
  let outageMs = 0
  const responses = await runOnNodes(nodes, async () => {
    await wait(2000)
    await pair.kill()
    // As long as an operator or a cluster manager needs at least.
    await wait(1000)
    await pair.promote()
    const start = performance.now()
    for (const node of nodes) await node.waitUntilReady(maxOutageMs)
    outageMs = performance.now() - start
    await wait(1000)
  })
  assertUnavailable(responses)
  return `${responses.summary}; all nodes ready ${Math.round(outageMs)} ms after the promotion`
})
