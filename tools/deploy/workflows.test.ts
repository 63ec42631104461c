import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { readText, readYaml } from './files.ts'

interface Job {
  'timeout-minutes'?: number
  strategy?: { matrix: { include?: { node: number; postgres: number }[] } }
  steps: { uses?: string }[]
}

interface Workflow {
  permissions?: Record<string, string>
  jobs: Record<string, Job>
}

const root = join(import.meta.dirname, '../..')
const paths = globSync('.github/workflows/*.yml', { cwd: root })

// The package imports JSON without the attribute that Node.js requires.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
)
hooks.deregister()

async function listErrors(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(error => error.message)
}

test('the parser of GitHub accepts the workflows, and finds errors in them', async () => {
  assert.equal(paths.length, 2)
  for (const path of paths) {
    const text = readText(path)
    assert.deepEqual(await listErrors(path, text), [])
    for (const wrong of ['runs_on:', `runs-on: $${'{{ matrix.(os }}'} #`])
      assert.notDeepEqual(await listErrors(path, text.replace('runs-on:', wrong)), [])
  }
})

test('the workflows pin actions by commit, limit permissions and end in time', () => {
  for (const path of paths) {
    const [workflow] = readYaml<Workflow>(path)
    const granted = Object.entries(workflow?.permissions ?? { missing: 'permissions' })
    assert.deepEqual(granted, granted.length === 0 ? [] : [['contents', 'read']], path)
    for (const [name, job] of Object.entries(workflow?.jobs ?? {})) {
      assert.ok(job['timeout-minutes'], name)
      for (const { uses } of job.steps) if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/)
    }
    for (const [line] of readText(path).matchAll(/uses:.*/g)) assert.match(line, / # v\d+\.\d+\.\d+$/)
  }
})

test('the other files of GitHub are YAML, and the documents name the versions that CI tests', () => {
  for (const path of globSync('.github/{*,ISSUE_TEMPLATE/*}.yml', { cwd: root })) assert.ok(readYaml(path)[0])
  const [ci] = readYaml<Workflow>('.github/workflows/ci.yml')
  const matrix = ci?.jobs.test?.strategy?.matrix.include ?? []
  const nodes = [...new Set(matrix.map(({ node }) => node))]
  const postgres = matrix.map(({ postgres }) => postgres)
  assert.ok(readText('README.md').includes(`Node.js ${nodes.slice(0, -1).join(', ')} or ${nodes.at(-1)}`))
  assert.ok(readText('docs/scale.md').includes(`**PostgreSQL** ${postgres[0]} to ${postgres.at(-1)}`))
})
