import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * `npm run check [-- names]`: runs all checks, or those whose names contain one of the given ones, even if one fails.
 */

const root = join(import.meta.dirname, '..')
const stepTimeoutMs = 120_000

interface Step {
  name: string
  /** Resolves to the findings. Imports its modules itself, so that an error in one of them fails only this step. */
  run: () => Promise<readonly string[]>
}

async function command(name: string, args: readonly string[]): Promise<string[]> {
  const options = { cwd: root, timeout: stepTimeoutMs, maxBuffer: 2 ** 26 }
  return promisify(execFile)(name, args, options).then(
    () => [],
    ({ stdout, stderr, message, killed }) => [
      killed ? `timed out after ${stepTimeoutMs / 1000} s` : `${stdout}${stderr}`.trim() || message,
    ],
  )
}

function bin(name: string, ...args: string[]): Promise<string[]> {
  return command(join(root, 'node_modules/.bin', name), args)
}

/**
 * The folders with a `tsconfig.json`. That of the root covers the folders without one. They import each other, and a
 * file is checked only once per project. The others use the types of the browser; in `packages/server` for its tests.
 */
const projects = globSync('{.,packages/*,examples/*}/tsconfig.json', { cwd: root }).map(dirname).toSorted()

async function checkTypes(project: string): Promise<string[]> {
  // The path, because TypeScript 6 also installs a `tsc` command (docs/decisions/typescript-twice.md).
  const compiler = join(root, 'node_modules/@typescript/native')
  const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'))
  if (!String(version).startsWith('7.')) return [`@typescript/native is ${version}, expected 7`]
  // What has not changed since the last run is not checked again.
  const cache = join(root, 'node_modules/.cache/types', project, 'tsbuildinfo.json')
  const options = ['-p', project, '--incremental', '--tsBuildInfoFile', cache]
  return command(process.execPath, [join(compiler, 'bin/tsc'), ...options])
}

async function readRoutes() {
  return (await import('@gatehouse/testkit/routes')).readServiceRoutes()
}

const steps: Step[] = [
  { name: 'format and lint', run: () => bin('biome', 'ci', '--colors=off', '--error-on-warnings', '.') },
  ...projects.map(project => ({ name: `types of ${project}`, run: () => checkTypes(project) })),
  {
    name: 'structure',
    run: async () => (await import('./check-structure.ts')).checkStructure(root),
  },
  { name: 'packages', run: async () => (await import('./check-packages.ts')).checkPackages(root) },
  { name: 'unused code and packages', run: () => bin('knip', '--no-progress') },
  {
    name: 'specification, citations and tests',
    run: async () => (await import('./check-spec.ts')).checkSpec(root),
  },
  {
    name: 'API documents',
    run: async () => (await import('./check-openapi.ts')).checkApiDocuments(await readRoutes()),
  },
  {
    name: 'generated documents',
    run: async () => (await import('./generate-docs.ts')).checkReference(await readRoutes()),
  },
  { name: 'versions', run: async () => (await import('./version-copies.ts')).checkVersions(root) },
  {
    name: 'generated types of the bot library',
    run: async () => (await import('../packages/bot/generate-wire-types.ts')).checkBotTypes(),
  },
]

const names = process.argv.slice(2)
const pending = steps.filter(step => names.length === 0 || names.some(name => step.name.includes(name)))
const count = pending.length
if (count === 0) throw new Error(`No check has a name that contains ${names.join(' or ')}.`)
const failed: string[] = []

async function runPending(): Promise<void> {
  for (let step = pending.shift(); step !== undefined; step = pending.shift()) {
    const start = performance.now()
    const findings = await step.run().catch(error => [String(error?.stack ?? error)])
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${findings.length === 0 ? 'ok    ' : 'FAILED'}  ${step.name} (${seconds} s)`)
    if (findings.length === 0) continue
    failed.push(step.name)
    console.log(`${findings.join('\n')}\n`)
  }
}

// Two at the same time, because the smallest CI machine has two cores.
await Promise.all([runPending(), runPending()])
if (failed.length === 0) console.log('\nall passed')
else console.log(`\n${failed.length} of ${count} failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0
