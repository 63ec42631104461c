import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Fault, Skip } from './fault.ts'
import { assertNoneLost, assertWorks, createTarget } from './target.ts'
import { assertUnavailable, describe, runWorkload } from './workload.ts'

const mebibyte = 1024 * 1024

/** Fills the file system of the service, then frees the space. */
export const diskFault: Fault = {
  name: 'disk',
  invariant: 'disk full: 503 with Retry-After, no partial writes, recovery without a restart',
  engines: ['SQLite'],
  timeoutMs: 120_000,
  async run(context) {
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
    const folder = join(mountPoint, 'data')
    mkdirSync(folder)
    const service = await context.startService({ folder })
    const target = await createTarget(context, service)
    const before = await runWorkload(target, wait(500))
    const filler = join(mountPoint, 'filler')
    fillFileSystem(filler)
    const full = await runWorkload(target, wait(context.short ? 2000 : 6000))
    assertUnavailable(full)
    const contents = [...before.contents, ...full.contents]
    truncateSync(filler)
    await assertWorks(target)
    await assertNoneLost(target, contents)
    // A new process must be able to open the database and read the same data.
    await service.end('SIGKILL')
    await service.start()
    await assertNoneLost(target, contents)
    await assertWorks(target)
    return describe(full)
  },
}

/** Appends to `file` until the file system is full. */
function fillFileSystem(file: string): void {
  for (const size of [mebibyte, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}
