import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runCommand, stopSignal } from './run-command.ts'

/** `npm run check`: runs all checks one after the other, even if one fails. */

const root = join(import.meta.dirname, '..')
const stepTimeoutMs = 120_000
const stopping = stopSignal()

interface Step {
  name: string
  /** Resolves to the output of a failed step, or undefined if it passed. */
  run: () => Promise<string | undefined>
}

function bin(name: string): string {
  return join(root, 'node_modules/.bin', name)
}

async function command(name: string, args: readonly string[]): Promise<string | undefined> {
  const { code, output } = await runCommand(name, args, {
    cwd: root,
    output: 'capture',
    timeoutMs: stepTimeoutMs,
    signal: stopping,
  })
  return code === 0 ? undefined : output.trim() || `${name} exited with code ${code}`
}

function tool(file: string, ...args: string[]): () => Promise<string | undefined> {
  return () => command(process.execPath, [join(import.meta.dirname, file), ...args])
}

/**
 * The folders with a `tsconfig.json`. That of the root covers the folders without one. They import each other, and a file is checked only
 * once per project. The others use the types of the browser; in `packages/server` a library of its tests adds them.
 */
function listProjects(): string[] {
  return globSync('{.,packages/*,examples/*}/tsconfig.json', { cwd: root }).map(dirname)
}

/** Runs two compilers in parallel, because the smallest CI machine has two cores. */
async function checkTypes(): Promise<string | undefined> {
  // The path, because TypeScript 6 also installs a `tsc` command (docs/decisions/typescript-twice.md).
  const compiler = join(root, 'node_modules/@typescript/native')
  const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'))
  if (!String(version).startsWith('7.')) return `@typescript/native is ${version}, expected 7`
  const pending = listProjects()
  const failures: string[] = []
  async function work(): Promise<void> {
    for (let project = pending.shift(); project !== undefined; project = pending.shift()) {
      const failed = await command(process.execPath, [join(compiler, 'bin/tsc'), '-p', project])
      if (failed !== undefined) failures.push(`${project}\n${failed}`)
    }
  }
  await Promise.all([work(), work()])
  return failures.length > 0 ? failures.toSorted().join('\n') : undefined
}

const steps: Step[] = [
  {
    name: 'format and lint',
    run: () => command(bin('biome'), ['ci', '--colors=off', '--error-on-warnings', '.']),
  },
  { name: 'types', run: checkTypes },
  { name: 'architecture', run: tool('check-architecture.ts') },
  { name: 'packages', run: tool('check-packages.ts') },
  { name: 'unused code and packages', run: () => command(bin('knip'), ['--no-progress']) },
  { name: 'routes', run: tool('check-routes.ts') },
  { name: 'specification, citations and tests', run: tool('check-spec.ts') },
  { name: 'API documents', run: tool('check-openapi.ts') },
  { name: 'generated documents', run: tool('generate-docs.ts', '--check') },
]

const failed: string[] = []
for (const { name, run } of steps) {
  if (stopping.aborted) break
  const start = performance.now()
  const failure = await run()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${failure === undefined ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`)
  if (failure === undefined) continue
  failed.push(name)
  console.log(`${failure}\n`)
}
console.log(
  failed.length > 0 ? `\n${failed.length} of ${steps.length} failed: ${failed.join(', ')}` : '\nall passed',
)
process.exitCode = failed.length > 0 ? 1 : 0
