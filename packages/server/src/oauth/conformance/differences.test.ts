import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const page = join(import.meta.dirname, '../../../../../docs/decisions/oidc-provider-differences.md')

test('the decision lists exactly the tests that oidc-provider fails', () => {
  const tests = globSync('*.test.ts', { cwd: import.meta.dirname }).flatMap(file => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    return [...text.matchAll(/^exceptOidcProvider\('([^']+)'/gm)].map(([, name]) => name)
  })
  const rows = [...readFileSync(page, 'utf8').matchAll(/^\| ([^|]+) \|/gm)].map(([, name]) => name?.trim())
  assert.ok(tests.length > 0)
  assert.deepEqual(
    tests.toSorted(),
    rows.filter(name => name !== 'test' && !/^-+$/.test(name ?? '')).toSorted(),
  )
})
