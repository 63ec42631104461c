import { globSync } from 'node:fs'
import { matchesGlob, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { groupTests, writeEntries } from './test-groups.ts'

/**
 * Runs the test files below `--root` (all, or those under the given paths) and reports like the test runner of Node.js.
 * Several files share a process, except those with a line `// Runs in its own process: …`. Files named `*.e2e.test.ts`
 * start browsers. They run last. One summary covers all files. Lines with `skipped:` before it name each missing
 * service (`--missing`), each browser test if Chromium is missing, and each skipped test with its reason.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: 'string', default: process.cwd() },
    'test-name-pattern': { type: 'string', multiple: true },
    missing: { type: 'string', multiple: true, default: [] },
  },
})
const { missing } = values
const root = resolve(values.root)
const testTimeoutMs = 600_000
const summary = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/

function listTests(): string[] {
  const paths = positionals.map(path => relative(root, resolve(path)))
  return globSync('{packages,tools,tests,examples}/**/*.test.ts', {
    cwd: root,
    exclude: path => /(^|\/)(node_modules|dist)$/.test(path),
  })
    .filter(
      file =>
        paths.length === 0 ||
        paths.some(
          path => path === '' || file === path || file.startsWith(path + sep) || matchesGlob(file, path),
        ),
    )
    .toSorted()
}

function isBrowserTest(file: string): boolean {
  return file.endsWith('.e2e.test.ts')
}

type Event = { type: string; data: Record<string, unknown> }

function diagnostic(message: string): Event {
  return { type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } }
}

const totals = new Map<string, number>()

/** Yields the events of both phases, with one summary at the end instead of one per phase. */
async function* runAll(files: string[]): AsyncGenerator<Event> {
  const skipped: string[] = []
  const browserTests = files.filter(isBrowserTest)
  const noBrowser = missing.some(reason => reason.startsWith('Chromium: '))
  if (noBrowser) skipped.push(...browserTests.map(file => `${file} (Chromium is missing)`))
  const phases = [
    { files: files.filter(file => !isBrowserTest(file)), filesPerProcess: 12, concurrency: 3 },
    { files: noBrowser ? [] : browserTests, filesPerProcess: 4, concurrency: 3 },
  ]
  for (const phase of phases.filter(({ files }) => files.length > 0)) {
    const paths = phase.files.map(file => resolve(root, file))
    const groups = groupTests(paths, phase.filesPerProcess)
    const { entries, remove } = writeEntries(groups)
    const stream = run({
      cwd: root,
      files: entries,
      concurrency: phase.concurrency,
      timeout: testTimeoutMs,
      ...(values['test-name-pattern'] ? { testNamePatterns: values['test-name-pattern'] } : {}),
    })
    for await (const event of stream as AsyncIterable<Event>) {
      const { message, nesting, skip, name } = event.data
      const total = nesting === 0 && typeof message === 'string' ? summary.exec(message) : null
      if (event.type === 'test:pass' && skip !== undefined && skip !== false)
        skipped.push(typeof skip === 'string' && skip !== '' ? `${name} (${skip})` : String(name))
      if (event.type === 'test:diagnostic' && total)
        totals.set(total[1] ?? '', (totals.get(total[1] ?? '') ?? 0) + Number(total[2]))
      else if (event.type !== 'test:summary') yield event
      // The process ended before its tests.
      const group = event.type === 'test:fail' ? groups[entries.indexOf(String(name))] : undefined
      if (group && group.length > 1)
        yield diagnostic(`${name} ran ${group.map(file => relative(root, file)).join(', ')}`)
    }
    remove()
  }
  for (const name of [...missing, ...skipped]) yield diagnostic(`skipped: ${name}`)
  for (const [name, number] of totals) yield diagnostic(`${name} ${number}`)
}

const files = listTests()
await pipeline(Readable.from(runAll(files)), new spec(), process.stdout, { end: false })
const executed = totals.get('tests') ?? 0
if (executed === 0) console.error(`No test below ${root} matches.`)
const failed = (totals.get('fail') ?? 0) + (totals.get('cancelled') ?? 0)
process.exitCode = failed > 0 || executed === 0 ? 1 : 0
