import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { waitUntil } from '@gatehouse/testkit/wait-until'

/** Creates a project of test files in a temporary folder. */
function createProject(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-runner-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), `import { test } from 'node:test'\nimport fs from 'node:fs'\n${text}\n`)
  }
  return root
}

const command = join(import.meta.dirname, 'test.ts')
/** No server is available. */
const env = {
  ...process.env,
  NODE_TEST_CONTEXT: undefined,
  REQUIRE_SERVICES: '',
  TEST_DATABASE_URL: 'postgres://root@127.0.0.1:1/postgres',
  TEST_NATS_URL: 'nats://127.0.0.1:1',
  CHROMIUM_PATH: process.execPath,
}

function runTests(cwd: string, args: string[] = [], settings = {}) {
  const options = { cwd, env: { ...env, ...settings }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], options)
  return { status, output: stdout + stderr }
}

const ownProcess = '// Runs in its own process: this is a test.\n'
const log = (word: string) => `test('logs', () => fs.appendFileSync('log', '${word} ' + process.pid + '\\n'))`

test('files share a process unless a line forbids it, and browser tests start last', t => {
  const root = createProject(t, {
    'packages/a/a.e2e.test.ts': log('browser'),
    'packages/a/node_modules/c/c.test.ts': log('dependency'),
    'tools/a.test.ts': log('shared'),
    'tools/b.test.ts': log('shared'),
    'tools/c.test.ts': ownProcess + log('alone'),
    'tools/d.test.ts': ownProcess + log('alone'),
  })
  const { status, output } = runTests(root)
  assert.equal(status, 0, output)
  assert.deepEqual(output.match(/ℹ (tests|pass|fail) \d+/g), ['ℹ tests 5', 'ℹ pass 5', 'ℹ fail 0'])
  const lines = readFileSync(join(root, 'log'), 'utf8').trim().split('\n')
  assert.doesNotMatch(lines[0] ?? '', /browser/)
  assert.equal(new Set(lines).size, 4)
})

test('no test starts before all files of its process are loaded', t => {
  const root = createProject(t, {
    'tools/a.test.ts': "test('first', () => { if (!globalThis.loaded) throw new Error('early') })",
    'tools/b.test.ts': 'await new Promise(setImmediate); globalThis.loaded = true',
  })
  const { status, output } = runTests(root)
  assert.equal(status, 0, output)
})

test('failures are at the end, also of a file that cannot be loaded or that exits, and the others run', t => {
  const root = createProject(t, {
    'tools/a.test.ts': "import 'missing-module'",
    'tools/b.test.ts': "test('good', () => {})\ntest('bad', () => { throw new Error('planted') })",
    'tools/c.test.ts': `${ownProcess}test('exits', () => process.exit(3))`,
  })
  const { status, output } = runTests(root)
  assert.equal(status, 1)
  assert.match(output, /✔ good/)
  for (const failure of [/planted/, /✖ .*tools\/a\.test\.ts/, /✖ .*tools\/c\.test\.ts/])
    assert.match(output.slice(output.indexOf('failing tests')), failure)
})

test('runs the tests that match the given paths and names', t => {
  const root = createProject(t, {
    'packages/a/src/a.test.ts': "test('one', () => {})\ntest('two', () => {})",
    'packages/ab/src/b.test.ts': "test('three', () => {})",
  })
  assert.match(runTests(root, ['packages/a']).output, /ℹ tests 2/)
  assert.match(runTests(root, ['packages/ab/src/b.test.ts']).output, /ℹ tests 1/)
  const { output } = runTests(root, ['--test-name-pattern=two'])
  assert.match(output, /✔ two/)
  assert.doesNotMatch(output, /✔ one/)
  const none = runTests(root, ['packages/c'])
  assert.equal(none.status, 1)
  assert.match(none.output, /No test below/)
})

test('names what is skipped or missing before the summary, and fails if it is required', t => {
  const root = createProject(t, {
    'tools/a.test.ts': "test('sends mail', t => t.skip('no mail server'))",
    'tools/b.e2e.test.ts': "test('needs a browser', () => assert.fail())",
  })
  const settings = { CHROMIUM_PATH: '/missing/chromium' }
  const { status, output } = runTests(root, [], settings)
  assert.equal(status, 0, output)
  const before = output.slice(0, output.indexOf('ℹ tests 1'))
  const reasons = [
    'PostgreSQL: ',
    'NATS: ',
    'Chromium: ',
    'sends mail (no mail server)',
    'tools/b.e2e.test.ts',
  ]
  for (const reason of reasons) assert.ok(before.includes(`skipped: ${reason}`), output)

  const required = runTests(root, [], { ...settings, REQUIRE_SERVICES: '1' })
  assert.equal(required.status, 1)
  assert.match(required.output, /missing: PostgreSQL/)
  assert.doesNotMatch(required.output, /sends mail/)
})

/** Processes that have exited, zombies included, have an empty environment. */
function isRunning(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).length > 0
  } catch {
    return false
  }
}

test('kills all processes after SIGTERM and a second signal', async t => {
  const root = createProject(t, {
    'tools/a.test.ts': `import { spawn } from 'node:child_process'
test('does not finish', () => {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  child.unref()
  fs.writeFileSync('pid', String(child.pid))
  return new Promise(resolve => setTimeout(resolve, 60_000))
})`,
  })
  const child = spawn(process.execPath, [command], { cwd: root, env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const pid = join(root, 'pid')
  await waitUntil(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '')
  child.kill('SIGTERM')
  child.kill('SIGINT')
  assert.deepEqual(await ended, [1, null])
  assert.equal(isRunning(readFileSync(pid, 'utf8')), false)
})
