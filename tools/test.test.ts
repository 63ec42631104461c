import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'

const runner = join(import.meta.dirname, 'test-runner.ts')
const testCommand = join(import.meta.dirname, 'test.ts')

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

const cleanEnv = { ...process.env, NODE_TEST_CONTEXT: undefined }

function runTests(root: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [runner, '--root', root, ...args], {
    cwd: root,
    env: cleanEnv,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

test('runs browser tests last and prints one summary of all tests', t => {
  const log = (word: string) => `test('${word}', () => fs.appendFileSync('order', '${word} '))`
  const root = createProject(t, {
    'packages/a/src/a.e2e.test.ts': log('browser-a'),
    'packages/a/src/z.test.ts': log('plain'),
    'packages/b/src/b.e2e.test.ts': log('browser-b'),
    'packages/b/node_modules/c/c.test.ts': log('dependency'),
  })
  const { status, output } = runTests(root)
  assert.equal(status, 0, output)
  const [first, ...others] = readFileSync(join(root, 'order'), 'utf8').trim().split(' ')
  assert.equal(first, 'plain')
  assert.deepEqual(others.sort(), ['browser-a', 'browser-b'])
  assert.deepEqual(output.match(/ℹ (tests|pass|fail) \d+/g), ['ℹ tests 3', 'ℹ pass 3', 'ℹ fail 0'])
})

test('runs several files in one process, except those with a line that requires another one', t => {
  const log = "test('logs its process', () => fs.appendFileSync('pids', process.pid + ' '))"
  const root = createProject(t, {
    'tools/a.test.ts': log,
    'tools/b.test.ts': `// Runs in its own process: reads the environment.\n${log}`,
    'tools/c.test.ts': log,
  })
  const { status, output } = runTests(root)
  assert.equal(status, 0, output)
  const pids = readFileSync(join(root, 'pids'), 'utf8').trim().split(' ')
  assert.equal(pids.length, 3)
  assert.equal(new Set(pids).size, 2)
})

test('a file that cannot be loaded or that exits is a failure with its path', t => {
  const root = createProject(t, {
    'tools/a.test.ts': "import 'missing-module'",
    'tools/b.test.ts': "test('good', () => {})",
    'tools/c.test.ts': "// Runs in its own process: it ends it.\ntest('exits', () => process.exit(3))",
  })
  const { status, output } = runTests(root)
  assert.equal(status, 1)
  assert.match(output, /✔ good/)
  assert.match(output, /✖ .*tools\/a\.test\.ts/)
  assert.match(output, /✖ .*tools\/c\.test\.ts/)
})

test('exits with 1 and ends the output with the failures if a test fails', t => {
  const root = createProject(t, {
    'tools/a.test.ts': "test('good', () => {})\ntest('bad', () => { throw new Error('planted') })",
    'tools/b.e2e.test.ts': "test('runs', () => {})",
  })
  const { status, output } = runTests(root)
  assert.equal(status, 1)
  assert.match(output, /ℹ pass 2\nℹ fail 1/)
  assert.match(output.slice(output.indexOf('failing tests')), /planted/)
})

test('exits with 1 if a file cannot be loaded', t => {
  const root = createProject(t, { 'tools/a.test.ts': "import 'missing-module'" })
  const { status, output } = runTests(root)
  assert.equal(status, 1)
  assert.match(output, /ℹ fail 1/)
})

test('prints skipped tests with their reasons before the summary', t => {
  const root = createProject(t, { 'tools/a.test.ts': "test('sends mail', t => t.skip('no mail server'))" })
  const { status, output } = runTests(root)
  assert.equal(status, 0)
  assert.match(output, /ℹ skipped: sends mail \(no mail server\)\n(.*\n)?ℹ tests 1/)
  assert.match(output, /ℹ skipped 1/)
})

test('runs the tests that match the given paths and names', t => {
  const root = createProject(t, {
    'packages/a/src/a.test.ts': "test('one', () => {})\ntest('two', () => {})",
    'packages/ab/src/b.test.ts': "test('three', () => {})",
  })
  assert.match(runTests(root, 'packages/a').output, /ℹ tests 2/)
  assert.match(runTests(root, 'packages/ab/src/b.test.ts').output, /ℹ tests 1/)
  assert.match(runTests(root, '--test-name-pattern=two').output, /✔ two/)
  assert.doesNotMatch(runTests(root, '--test-name-pattern=two').output, /✔ one/)
})

test('exits with 1 if no test matches', t => {
  const { status, output } = runTests(createProject(t, {}))
  assert.equal(status, 1)
  assert.match(output, /No test below/)
})

function runTestCommand(
  root: string,
  env: Record<string, string>,
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [testCommand, '--root', root], {
    cwd: root,
    env: { ...cleanEnv, ...env },
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

const unavailable = {
  TEST_DATABASE_URL: 'postgres://root@127.0.0.1:1/postgres',
  TEST_NATS_URL: 'nats://127.0.0.1:1',
  CHROMIUM_PATH: '/missing/chromium',
}

test('prints missing services and runs the tests', t => {
  const root = createProject(t, { 'tools/a.test.ts': "test('good', () => {})" })
  const { status, output } = runTestCommand(root, { ...unavailable, REQUIRE_SERVICES: '' })
  assert.equal(status, 0, output)
  for (const name of ['PostgreSQL', 'NATS', 'Chromium'])
    assert.match(output, new RegExp(`skipped: ${name}: `))
  assert.match(output, /ℹ pass 1/)
})

test('skips browser tests if Chromium is missing', t => {
  const root = createProject(t, {
    'tools/a.test.ts': "test('good', () => {})",
    'tools/b.e2e.test.ts': "test('needs a browser', () => assert.fail())",
  })
  const { status, output } = runTestCommand(root, { ...unavailable, REQUIRE_SERVICES: '' })
  assert.equal(status, 0, output)
  assert.match(output, /skipped: tools\/b\.e2e\.test\.ts/)
  assert.match(output, /ℹ pass 1/)
})

test('exits with 1 without running tests if a required service is missing', t => {
  const root = createProject(t, { 'tools/a.test.ts': "test('good', () => {})" })
  const { status, output } = runTestCommand(root, { ...unavailable, REQUIRE_SERVICES: '1' })
  assert.equal(status, 1)
  assert.match(output, /missing: PostgreSQL/)
  assert.doesNotMatch(output, /ℹ pass/)
})

const leavesProcess = `
import { spawn } from 'node:child_process'
test('starts a process', () => {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  child.unref()
  fs.writeFileSync('pid', String(child.pid))
})`

/** Processes that have exited, zombies included, have an empty environment. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).length > 0
  } catch {
    return false
  }
}

test('kills processes that a test started in another process group', t => {
  const root = createProject(t, { 'tools/a.test.ts': leavesProcess })
  const { status, output } = runTestCommand(root, { ...unavailable, REQUIRE_SERVICES: '' })
  assert.equal(status, 0, output)
  assert.equal(isRunning(Number(readFileSync(join(root, 'pid'), 'utf8'))), false)
})

test('kills all processes after SIGTERM and a second signal', async t => {
  const root = createProject(t, {
    'tools/a.test.ts': `${leavesProcess}\ntest('does not finish', () => new Promise(resolve => {
    fs.writeFileSync('ready', '')
    setTimeout(resolve, 60_000)
  }))`,
  })
  const child = spawn(process.execPath, [testCommand, '--root', root], {
    cwd: root,
    env: { ...cleanEnv, ...unavailable, REQUIRE_SERVICES: '' },
    stdio: 'ignore',
  })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const watcher = setInterval(() => {
    try {
      readFileSync(join(root, 'ready'))
      clearInterval(watcher)
      child.kill('SIGTERM')
      child.kill('SIGINT')
    } catch {
      // The test has not started yet.
    }
  }, 20)
  t.after(() => clearInterval(watcher))
  assert.equal(await ended, 1)
  assert.equal(isRunning(Number(readFileSync(join(root, 'pid'), 'utf8'))), false)
})
