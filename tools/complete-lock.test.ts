import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { completeLock } from './complete-lock.ts'

test('a package for another platform is added at the version that is pinned', () => {
  const { lock, added } = completeLock({
    packages: {
      '': {},
      'node_modules/tool': {
        version: '2.0.0',
        dev: true,
        optionalDependencies: { '@tool/linux-arm64-musl': '2.0.0' },
      },
    },
  })
  assert.deepEqual(added, ['@tool/linux-arm64-musl'])
  assert.deepEqual(lock.packages['node_modules/@tool/linux-arm64-musl'], {
    version: '2.0.0',
    cpu: ['arm64'],
    libc: ['musl'],
    os: ['linux'],
    dev: true,
    optional: true,
  })
})

test('what the lock has, beside the package or above it, is left alone', () => {
  const wanting = { version: '1.0.0', optionalDependencies: { '@tool/win32-x64': '1.0.0' } }
  const has = { version: '1.0.0', optional: true }
  const above = { 'node_modules/@tool/win32-x64': has, 'node_modules/a/node_modules/tool': wanting }
  const beside = { 'packages/a/node_modules/@tool/win32-x64': has, 'packages/a/node_modules/tool': wanting }
  for (const packages of [above, beside]) assert.deepEqual(completeLock({ packages }).added, [])
})

test('a range, and a package for every platform, are not guessed at', () => {
  const optionalDependencies = { '@tool/win32-x64': '^1.0.0', 'colour-of-output': '1.0.0' }
  assert.deepEqual(completeLock({ packages: { 'node_modules/tool': { optionalDependencies } } }).added, [])
})

test('the lock of the project lacks none', () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'))
  assert.deepEqual(completeLock(lock).added, [])
})
