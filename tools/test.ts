import { randomUUID } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { groupTests, writeEntries } from './test-groups.ts'
import { findServices } from './test-services.ts'

/**
 * `npm test [-- paths] [-- --test-name-pattern=…]`: finds or starts the services that the tests need, runs all tests
 * below `--root` or those under the given paths, and leaves no process behind. Browser tests (`*.e2e.test.ts`) start
 * last. Lines with `skipped:` before the summary name each missing service, each browser test if Chromium is missing,
 * and each skipped test with its reason. With `REQUIRE_SERVICES=1` a missing service is a failure.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: 'string', default: process.cwd() },
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
  },
})
const root = resolve(values.root)
const limitMs = 45 * 60_000
const groupLimitMs = 10 * 60_000
const marker = 'GATEHOUSE_TEST_RUN'
const id = randomUUID()
const stop = new AbortController()
// npm forwards a signal that the terminal already sent to the whole process group.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())

function listTests(): string[] {
  const paths = positionals.map(path => relative(root, resolve(path)))
  const isGiven = (file: string) =>
    paths.some(path => path === '' || file === path || file.startsWith(path + sep) || matchesGlob(file, path))
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path)
  const files = globSync('{packages,tools,tests,examples}/**/*.test.ts', { cwd: root, exclude })
  return files.filter(file => paths.length === 0 || isGiven(file)).toSorted()
}

type Event = { type: string; data: Record<string, unknown> }

function diagnostic(message: string): Event {
  return { type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } }
}

/** Runs the tests and prints their results. Resolves to whether all passed. */
async function runTests(files: readonly string[], missing: readonly string[]): Promise<boolean> {
  const browserTests = files.filter(file => file.endsWith('.e2e.test.ts'))
  const others = files.filter(file => !browserTests.includes(file))
  const noBrowser = missing.some(reason => reason.startsWith('Chromium: '))
  const skipped = noBrowser ? browserTests.map(file => `${file} (Chromium is missing)`) : []
  const groups = [...groupTests(root, others, 12), ...groupTests(root, noBrowser ? [] : browserTests, 4)]
  const { entries, remove } = writeEntries(root, groups)
  let passed = false
  async function* events(): AsyncGenerator<Event> {
    const stream = run({
      cwd: root,
      files: entries,
      concurrency: 3,
      timeout: groupLimitMs,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(limitMs)]),
      testNamePatterns: values['test-name-pattern'],
    })
    for await (const event of stream as AsyncIterable<Event>) {
      const { message, nesting, skip, name, file, success } = event.data
      if (event.type === 'test:pass' && skip !== undefined && skip !== false)
        skipped.push(typeof skip === 'string' && skip !== '' ? `${name} (${skip})` : String(name))
      // The summary begins.
      if (event.type === 'test:diagnostic' && nesting === 0 && /^tests \d+$/.test(String(message)))
        yield* [...missing, ...skipped].map(text => diagnostic(`skipped: ${text}`))
      if (event.type === 'test:summary' && file === undefined) passed = success === true
      yield event
      // The process ended before its tests.
      const group = event.type === 'test:fail' ? groups[entries.indexOf(String(name))] : undefined
      if (group && group.length > 1) yield diagnostic(`${name} ran ${group.join(', ')}`)
    }
  }
  await pipeline(Readable.from(events()), new spec(), process.stdout, { end: false })
  remove()
  return passed
}

/**
 * Kills the processes that tests started and left running. Children inherit the environment variable with the id of the
 * run. Resolves when they have ended, or after five seconds.
 */
async function endMarked(): Promise<void> {
  for (let tries = 0; tries < 100 && process.platform === 'linux'; tries++) {
    const left = readdirSync('/proc').filter(name => /^\d+$/.test(name) && isMarked(name))
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

function isMarked(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${marker}=${id}`)
  } catch {
    // The process ended, or belongs to another user.
    return false
  }
}

const { missing, started } = await findServices()
const files = listTests()
let passed = false
if (files.length === 0) console.log(`No test below ${root} matches.`)
else if (process.env.REQUIRE_SERVICES === '1' && missing.length > 0) {
  for (const reason of missing) console.log(`missing: ${reason}`)
  console.log('REQUIRE_SERVICES=1: no test runs without all services.')
} else {
  // Hundreds of processes load the same modules. They share the compiled code.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules/.cache/compile')
  process.env[marker] = id
  passed = await runTests(files, missing)
  await endMarked()
  if (!missing.some(reason => reason.startsWith('PostgreSQL: ')))
    await (await import('@gatehouse/testkit/postgres-databases')).dropTestDatabases()
}
await Promise.all(started.map(server => server.remove()))
process.exitCode = passed ? 0 : 1
