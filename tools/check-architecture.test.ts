import assert from 'node:assert/strict'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import type { Finding } from './architecture/finding.ts'
import { features } from './architecture/folders.ts'
import { checkImports } from './architecture/import-graph.ts'
import { importRules } from './architecture/import-rules.ts'
import { sourceRuleNames } from './architecture/source-rules.ts'
import { commonFiles, examples } from './architecture/violation-examples.ts'
import { checkArchitecture, findViolations } from './check-architecture.ts'

const root = join(import.meta.dirname, '..')

/** Copies the source to a temporary folder and links the workspace packages to the copy. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-architecture-'))
  after(() => rmSync(copy, { recursive: true, force: true }))
  for (const folder of ['packages', 'examples', 'bench', 'tools']) {
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: path => !/\/(node_modules|dist|data)$/.test(path),
    })
  }
  mkdirSync(join(copy, 'node_modules/@gatehouse'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@gatehouse')
      symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
  for (const [name, folder] of [
    ['bot', 'bot'],
    ['gateway-client', 'gateway-client'],
    ['protocol', 'protocol'],
    ['server', 'server'],
    ['testkit', 'testkit'],
    ['web', 'web'],
  ] as const)
    symlinkSync(join(copy, 'packages', folder), join(copy, 'node_modules/@gatehouse', name))
  for (const nested of globSync('{packages/*,tools,bench,examples/*}/node_modules', { cwd: root }))
    symlinkSync(join(root, nested), join(copy, nested))
  return copy
}

function write(copy: string, path: string, text: string, flag: 'w' | 'wx'): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true })
  try {
    writeFileSync(join(copy, path), text, { flag })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST' && flag === 'wx')) throw error
  }
}

/** Adds all examples to a copy of the source. Returns the findings by file. */
async function checkExamples(): Promise<Map<string, Finding[]>> {
  const copy = copyTree()
  for (const [path, text] of Object.entries(commonFiles)) write(copy, path, text, 'wx')
  for (const { files } of examples)
    for (const [path, text] of Object.entries(files)) write(copy, path, text, 'w')
  return Map.groupBy(await findViolations(copy), ({ file }) => file)
}

const exampleFindings = checkExamples()

for (const { rule, what, files, also } of examples) {
  test(`${rule} finds ${what}`, async () => {
    const findings = await exampleFindings
    const names = Object.keys(files).flatMap(file => (findings.get(file) ?? []).map(finding => finding.rule))
    assert.deepEqual([...new Set(names)].toSorted(), [rule, ...also].toSorted())
  })
}

test('every rule has an example', () => {
  const rules = new Set([...importRules.map(({ name }) => name), ...sourceRuleNames])
  const covered = new Set(examples.map(({ rule }) => rule))
  assert.deepEqual(
    [...rules].filter(rule => !covered.has(rule ?? '')),
    [],
  )
})

test('the rules cover every folder of the server', () => {
  const folders = readdirSync(join(root, 'packages/server/src'), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)
  assert.deepEqual(
    folders.toSorted(),
    [
      ...features,
      'kit',
      'storage',
      'bus',
      'demo',
      'http',
      'i18n',
      'mail',
      'outgoing',
      'rate-limits',
      'platform',
    ].toSorted(),
  )
})

test('the source violates no rule', async () => {
  assert.deepEqual(await checkArchitecture(root), [])
})

test('rejects an incomplete import graph', async () => {
  await assert.rejects(checkImports(root, ['packages/server/src/nothing-here.ts']))
  await assert.rejects(checkImports(root, []), /0 of 0 files/)
})
