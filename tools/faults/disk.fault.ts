import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { assertWorks, makeCommunity } from './community.ts'
import { assertKept, watchDoors, wordsFor } from './doors.ts'
import type { Fault } from './fault.ts'

const mebibyte = 1024 * 1024

/** Fills the file system of the service, then frees the space. */
export const diskFault: Fault = {
  name: 'disk',
  holds: 'disk full: 503 with Retry-After, no partial writes, recovery without a restart',
  limitMs: 120_000,
  async run(trial) {
    if (process.getuid?.() !== 0) trial.cannot('only root can mount a tmpfs')
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
    const logs = mkdtempSync(join(tmpdir(), 'gatehouse-disk-log-'))
    trial.after(() => rmSync(logs, { recursive: true }))
    trial.after(() => rmSync(folder, { recursive: true }))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder], { stdio: 'pipe' })
    } catch {
      trial.cannot('mounting a tmpfs failed')
    }
    trial.after(() => execFileSync('umount', ['-l', folder]))
    const filler = join(folder, 'filler')
    const service = await trial.start({ folder: makeFolder(folder), logFile: join(logs, 'service.log') })
    const community = await makeCommunity(trial, service)
    const before = await watchDoors(community, wait(500))
    fillUp(filler)
    const full = await watchDoors(community, wait(trial.short ? 2000 : 6000))
    assert.ok((full.statuses.get(503) ?? 0) > 0, 'the disk was not full')
    truncateSync(filler)
    await assertWorks(community)
    await assertKept(community, [before, full])
    // A new process must be able to open the database and read the same data.
    await service.end('SIGKILL')
    await service.start()
    await assertKept(community, [before, full])
    await assertWorks(community)
    return wordsFor(full)
  },
}

function makeFolder(parent: string): string {
  const folder = join(parent, 'data')
  mkdirSync(folder)
  return folder
}

/** Appends to `file` until the file system is full. */
function fillUp(file: string): void {
  for (const size of [mebibyte, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
}
