import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Test files that run one after another in the same process. The modules of the service are then loaded and compiled
 * once instead of once per file, which takes longer than most tests.
 */

/** A line of a file that must not share its process. */
const ownProcess = /^\/\/ Runs in its own process/m

/** Splits the files below `root` into groups of about the same size. */
export function groupTests(root: string, files: readonly string[], filesPerGroup: number): string[][] {
  const sources = files.map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const alone = sources.filter(({ text }) => ownProcess.test(text))
  const shared = sources
    .filter(source => !alone.includes(source))
    .toSorted((a, b) => b.text.length - a.text.length)
  const count = Math.ceil(shared.length / filesPerGroup)
  const groups = Array.from({ length: count }, (_, group) =>
    shared.filter((_, index) => index % count === group),
  )
  return [...alone.map(source => [source]), ...groups].map(group => group.map(({ file }) => file))
}

/**
 * Writes one module per group that loads its files and then runs their tests. A file that cannot be loaded is a failed
 * test. A test that started earlier would wait for other files to load, which can take longer than its time limits.
 */
export function writeEntries(
  root: string,
  groups: readonly string[][],
): { entries: string[]; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tests-'))
  const entries = groups.map((files, index) => {
    const [first] = files
    if (files.length === 1 && first) return join(root, first)
    const entry = join(folder, `group-${index}.mjs`)
    const urls = files.map(file => pathToFileURL(join(root, file)).href)
    writeFileSync(
      entry,
      `import { before, test } from 'node:test'
const { promise, resolve } = Promise.withResolvers()
before(() => promise)
for (const url of ${JSON.stringify(urls, undefined, 2)}) {
  await import(url).catch(error => {
    test(url, () => { throw error })
  })
}
resolve()
`,
    )
    return entry
  })
  return { entries, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
