import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'

const runner = join(import.meta.dirname, 'test-runner.ts')
const whole = join(import.meta.dirname, 'test.ts')

/** A project of test files in a temporary folder. */
function project(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-runner-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), `import { test } from 'node:test'\nimport fs from 'node:fs'\n${text}\n`)
  }
  return root
}

const clean = { ...process.env, NODE_TEST_CONTEXT: undefined, GATEHOUSE_TEST_INSTALL: '0' }

function start(root: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [runner, '--root', root, ...args], {
    cwd: root,
    env: clean,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

test('the browser tests come after the others, and one summary counts them all', t => {
  const log = (word: string) => `test('${word}', () => fs.appendFileSync('order', '${word} '))`
  const root = project(t, {
    'packages/a/src/a.e2e.test.ts': log('browser-a'),
    'packages/a/src/z.test.ts': log('plain'),
    'packages/b/src/b.e2e.test.ts': log('browser-b'),
    'packages/b/node_modules/c/c.test.ts': log('foreign'),
  })
  const { status, output } = start(root)
  assert.equal(status, 0, output)
  const [first, ...others] = readFileSync(join(root, 'order'), 'utf8').trim().split(' ')
  assert.equal(first, 'plain')
  assert.deepEqual(others.sort(), ['browser-a', 'browser-b'])
  assert.deepEqual(output.match(/ℹ (tests|pass|fail) \d+/g), ['ℹ tests 3', 'ℹ pass 3', 'ℹ fail 0'])
})

test('a test that fails is the end of the output and of the run', t => {
  const root = project(t, {
    'tools/a.test.ts': "test('good', () => {})\ntest('bad', () => { throw new Error('planted') })",
    'tools/b.e2e.test.ts': "test('still run', () => {})",
  })
  const { status, output } = start(root)
  assert.equal(status, 1)
  assert.match(output, /ℹ pass 2\nℹ fail 1/)
  assert.match(output.slice(output.indexOf('failing tests')), /planted/)
})

test('a file that cannot be loaded is a failure', t => {
  const root = project(t, { 'tools/a.test.ts': "import 'nothing-of-that-name'" })
  const { status, output } = start(root)
  assert.equal(status, 1)
  assert.match(output, /ℹ fail 1/)
})

test('what was skipped is named before the summary', t => {
  const root = project(t, { 'bench/a.test.ts': "test('needs a moon', t => t.skip('no moon tonight'))" })
  const { status, output } = start(root)
  assert.equal(status, 0)
  assert.match(output, /ℹ not run: needs a moon \(no moon tonight\)\n(.*\n)?ℹ tests 1/)
  assert.match(output, /ℹ skipped 1/)
})

test('paths and names choose what is run', t => {
  const root = project(t, {
    'packages/a/src/a.test.ts': "test('one', () => {})\ntest('two', () => {})",
    'packages/ab/src/b.test.ts': "test('three', () => {})",
  })
  assert.match(start(root, 'packages/a').output, /ℹ tests 2/)
  assert.match(start(root, 'packages/ab/src/b.test.ts').output, /ℹ tests 1/)
  assert.match(start(root, '--test-name-pattern=two').output, /✔ two/)
  assert.doesNotMatch(start(root, '--test-name-pattern=two').output, /✔ one/)
})

test('a run of nothing is a failure', t => {
  const { status, output } = start(project(t, {}))
  assert.equal(status, 1)
  assert.match(output, /no test below/)
})

function runWhole(root: string, env: Record<string, string>): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [whole, '--root', root], {
    cwd: root,
    env: { ...clean, ...env },
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

const nowhere = {
  TEST_DATABASE_URL: 'postgres://root@127.0.0.1:1/postgres',
  TEST_NATS_URL: 'nats://127.0.0.1:1',
  CHROMIUM_PATH: '/nowhere/chromium',
}

test('what is missing is named, and the rest is run', t => {
  const root = project(t, { 'tools/a.test.ts': "test('good', () => {})" })
  const { status, output } = runWhole(root, { ...nowhere, REQUIRE_SERVICES: '' })
  assert.equal(status, 0, output)
  for (const name of ['PostgreSQL', 'NATS', 'Chromium'])
    assert.match(output, new RegExp(`not run: ${name}: `))
  assert.match(output, /ℹ pass 1/)
})

test('without Chromium the browser tests are named and not run', t => {
  const root = project(t, {
    'tools/a.test.ts': "test('good', () => {})",
    'tools/b.e2e.test.ts': "test('wants a browser', () => assert.fail())",
  })
  const { status, output } = runWhole(root, { ...nowhere, REQUIRE_SERVICES: '' })
  assert.equal(status, 0, output)
  assert.match(output, /not run: tools\/b\.e2e\.test\.ts/)
  assert.match(output, /ℹ pass 1/)
})

test('where services are required a missing one is a failure', t => {
  const root = project(t, { 'tools/a.test.ts': "test('good', () => {})" })
  const { status, output } = runWhole(root, { ...nowhere, REQUIRE_SERVICES: '1' })
  assert.equal(status, 1)
  assert.match(output, /missing: PostgreSQL/)
  assert.doesNotMatch(output, /ℹ pass/)
})

const leaveBehind = `
import { spawn } from 'node:child_process'
test('starts something', () => {
  const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  child.unref()
  fs.writeFileSync('pid', String(child.pid))
})`

/** A process that is dead, or about to be, has no environment any more. */
function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).length > 0
  } catch {
    return false
  }
}

test('what a test leaves running is ended, in a process group of its own too', t => {
  const root = project(t, { 'tools/a.test.ts': leaveBehind })
  const { status, output } = runWhole(root, { ...nowhere, REQUIRE_SERVICES: '' })
  assert.equal(status, 0, output)
  assert.equal(isAlive(Number(readFileSync(join(root, 'pid'), 'utf8'))), false)
})

test('a run that is told to stop, and told again, ends what it started', async t => {
  const root = project(t, {
    'tools/a.test.ts': `${leaveBehind}\ntest('waits', () => new Promise(resolve => {
    fs.writeFileSync('ready', '')
    setTimeout(resolve, 60_000)
  }))`,
  })
  const child = spawn(process.execPath, [whole, '--root', root], {
    cwd: root,
    env: { ...clean, ...nowhere, REQUIRE_SERVICES: '' },
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
      // It has not come so far.
    }
  }, 20)
  t.after(() => clearInterval(watcher))
  assert.equal(await ended, 1)
  assert.equal(isAlive(Number(readFileSync(join(root, 'pid'), 'utf8'))), false)
})
