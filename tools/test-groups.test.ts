import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { writeEntries } from './test-groups.ts'

/** Runs two files as one group. Resolves to the output, also if a test fails. */
async function runGroup(t: TestContext, first: string, second: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-groups-'))
  t.after(() => rm(folder, { recursive: true }))
  const paths = [join(folder, 'first.mjs'), join(folder, 'second.mjs')]
  await Promise.all(paths.map((path, index) => writeFile(path, index === 0 ? first : second)))
  const { entries, remove } = writeEntries([paths])
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const result = await promisify(execFile)(process.execPath, ['--test-reporter=tap', ...entries], {
    env,
  }).catch((error: { stdout: string }) => error)
  remove()
  return result.stdout
}

const importTest = "import { test } from 'node:test'\n"

test('no test starts before all files of its process are loaded', async t => {
  const first = `${importTest}test('first', async () => { if (!globalThis.loaded) throw new Error('early') })`
  const second = `${importTest}await new Promise(setImmediate); globalThis.loaded = true; test('second', () => {})`
  const output = await runGroup(t, first, second)
  assert.match(output, /^ok 1 - first$/m)
  assert.match(output, /^ok 2 - second$/m)
})

test('a file that cannot be loaded is a failed test, and the others run', async t => {
  const output = await runGroup(t, "throw new Error('broken')", `${importTest}test('second', () => {})`)
  assert.match(output, /^not ok 1 - file:.*first\.mjs$/m)
  assert.match(output, /^ok 2 - second$/m)
})
