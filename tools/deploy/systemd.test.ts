import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCommand } from '@gatehouse/testkit/local-servers'
import { readText } from './files.ts'

const skip = !findCommand(['systemd-analyze']) && 'systemd-analyze is not installed'

function analyze(args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, '--no-pager'], {
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

test('systemd accepts the unit without a warning, and its exposure is at most 1.5 of 10', { skip }, t => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const unit = join(folder, 'gatehouse.service')
  const text = readText('deploy/systemd/gatehouse.service')
  // systemd checks that the program exists.
  writeFileSync(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  assert.deepEqual(analyze(['verify', unit]), { status: 0, output: '' })
  const { status, output } = analyze(['security', '--offline=true', '--threshold=15', unit])
  assert.equal(status, 0, output)
})
