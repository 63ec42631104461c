import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkLock } from './check-packages.ts'

/** The findings for a lock with one package of a registry, a workspace and the link to it. */
function check(entry: object): string[] {
  const b = { integrity: 'sha512-AAAA', license: 'MIT', ...entry }
  return checkLock({ '': {}, 'packages/a': {}, 'node_modules/a': { link: true }, 'node_modules/b': b })
}

test('finds packages without a hash, with a script at installation, or with a licence that is not allowed', () => {
  for (const license of ['ISC', 'MIT OR GPL-3.0-only', '(MIT AND BSD-3-Clause)'])
    assert.deepEqual(check({ license }), [])
  assert.deepEqual(check({ integrity: undefined }), ['node_modules/b has no integrity'])
  assert.deepEqual(check({ hasInstallScript: true }), ['node_modules/b runs a script when it is installed'])
  const rejected = (license: string) => [`node_modules/b: the licence ${license} is not allowed`]
  assert.deepEqual(check({ license: undefined }), rejected('unknown'))
  for (const license of ['GPL-3.0-only', 'MIT AND GPL-3.0-only'])
    assert.deepEqual(check({ license }), rejected(license))
})
