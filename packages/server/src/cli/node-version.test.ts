import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSupportedNodeVersion } from './node-version.ts'

test('supports the versions of Node.js that package.json names', () => {
  for (const version of ['22.18.0', '22.23.3', '24.4.0', '24.21.1', '25.0.0', '26.10.0', '30.0.0'])
    assert.equal(isSupportedNodeVersion(version), true, version)
  for (const version of ['18.20.8', '20.20.2', '21.7.3', '22.17.1', '23.11.1', '24.3.0'])
    assert.equal(isSupportedNodeVersion(version), false, version)
})
