import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkList, checkLock } from './check-packages.ts'

const integrity = 'sha512-AAAA'

/** A lock with one package of the registry, a workspace and the link to it. */
function lockOf(entry: object) {
  return {
    packages: {
      '': { version: '1.0.0' },
      'packages/a': { version: '1.0.0' },
      'node_modules/a': { link: true },
      'node_modules/b': { version: '2.0.0', integrity, license: 'MIT', ...entry },
    },
  }
}

test('accepts packages with integrity that run on the promised versions of Node.js', () => {
  for (const node of ['>=18', '20 || >=22', '*'])
    assert.deepEqual(checkLock(lockOf({ engines: { node } }), '^20.19.0 || >=22.13.0'), [])
})

test('reports a package without integrity', () => {
  assert.deepEqual(checkLock(lockOf({ integrity: undefined }), '>=20'), [
    'node_modules/b 2.0.0: no integrity',
  ])
})

test('reports a package that runs a script when it is installed', () => {
  assert.deepEqual(checkLock(lockOf({ hasInstallScript: true }), '>=20'), [
    'node_modules/b 2.0.0: runs a script when it is installed',
  ])
})

test('reports a package that needs a newer Node.js than promised', () => {
  assert.deepEqual(checkLock(lockOf({ engines: { node: '>=22' } }), '>=20'), [
    'node_modules/b 2.0.0: needs Node.js >=22, but package.json promises >=20',
  ])
  assert.deepEqual(checkLock(lockOf({ engines: { node: '>=22' }, cpu: ['ia32'] }), '>=20'), [])
})

test('reports a package without a licence, or with one that is not allowed', () => {
  for (const license of ['ISC', 'MIT OR GPL-3.0-only', '(MIT AND BSD-3-Clause)'])
    assert.deepEqual(checkLock(lockOf({ license }), '>=20'), [])
  assert.deepEqual(checkLock(lockOf({ license: undefined }), '>=20'), ['node_modules/b 2.0.0: no licence'])
  for (const license of ['GPL-3.0-only', 'MIT AND GPL-3.0-only'])
    assert.deepEqual(checkLock(lockOf({ license }), '>=20'), [
      `node_modules/b 2.0.0: the licence ${license} is not allowed`,
    ])
})

test('reports a dependency that is not listed, and a listed one that is not used', () => {
  const text = '| package | for |\n| --- | --- |\n| `used` | a |\n| `old` | b |\n'
  assert.deepEqual(checkList(text, ['used', 'new', '@gatehouse/protocol']), [
    'dependencies.md does not list new',
    'dependencies.md lists old, which no package uses',
  ])
})
