import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSupportedNodeVersion } from './node-version.ts'

test('supports the versions of Node.js that package.json names', () => {
  for (const version of ['24.7.0', '24.21.1', '25.0.0', '26.10.0', '30.0.0'])
    assert.equal(isSupportedNodeVersion(version), true, version)
  for (const version of ['20.20.2', '22.23.3', '23.11.1', '24.6.0'])
    assert.equal(isSupportedNodeVersion(version), false, version)
})
