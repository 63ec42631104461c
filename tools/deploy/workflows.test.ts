import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import { readText, readYaml, root } from './files.ts'

interface Workflow {
  permissions?: Record<string, string>
  jobs: Record<
    string,
    { 'timeout-minutes'?: number; strategy?: { matrix: Matrix }; steps: { uses?: string }[] }
  >
}

interface Matrix {
  include?: { node: number; postgres: number }[]
}

// The package imports JSON without the attribute that Node.js requires.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
)
hooks.deregister()

async function countErrors(name: string, content: string): Promise<number> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().length
}

for (const path of ['.github/workflows/ci.yml', '.github/workflows/release.yml']) {
  test(`the parser of GitHub accepts ${path}, which pins actions, limits permissions and ends in time`, async () => {
    const text = readText(path)
    assert.equal(await countErrors(path, text), 0)
    for (const wrong of ['runs_on:', `runs-on: $${'{{ matrix.(os }}'} #`])
      assert.notEqual(await countErrors(path, text.replace('runs-on:', wrong)), 0)
    const [workflow] = readYaml<Workflow>(path)
    assert.ok(
      Object.entries(workflow?.permissions ?? { missing: '' }).every(entry => `${entry}` === 'contents,read'),
    )
    for (const [name, job] of Object.entries(workflow?.jobs ?? {})) assert.ok(job['timeout-minutes'], name)
    for (const [line] of text.matchAll(/uses:.*/g)) assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })
}

test('the other files of GitHub are YAML, and the documents name the versions that CI tests', () => {
  for (const path of globSync('.github/{*,ISSUE_TEMPLATE/*}.yml', { cwd: root })) assert.ok(readYaml(path)[0])
  const [ci] = readYaml<Workflow>('.github/workflows/ci.yml')
  const matrix = ci?.jobs.test?.strategy?.matrix.include ?? []
  const nodes = [...new Set(matrix.map(({ node }) => node))]
  const postgres = matrix.map(({ postgres }) => postgres)
  assert.ok(readText('README.md').includes(`Node.js ${nodes.slice(0, -1).join(', ')} or ${nodes.at(-1)}`))
  assert.ok(readText('docs/scale.md').includes(`**PostgreSQL** ${postgres[0]} to ${postgres.at(-1)}`))
})

test('npm run sbom lists the dependencies of the released packages', () => {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const { components } = JSON.parse(execFileSync('npm', ['run', '--silent', 'sbom'], options))
  const names = components.map(({ name }: { name: string }) => name)
  for (const name of ['fastify', 'sharp', 'react', '@nats-io/kv']) assert.ok(names.includes(name), name)
})
