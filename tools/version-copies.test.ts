import assert from 'node:assert/strict'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { version } from '@gatehouse/protocol/version'
import { root } from './deploy/files.ts'
import { checkVersions, findOldVersions } from './version-copies.ts'

test('the version of the root package.json is that of the service, and every copy follows it', t => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.equal(version, manifest.version)
  assert.deepEqual(checkVersions(root), [])
  const copy = mkdtempSync(join(tmpdir(), 'version-'))
  t.after(() => rmSync(copy, { recursive: true }))
  const paths = globSync(
    '{README.md,package-lock.json,compose*.yaml,docs/operate.md,deploy/kubernetes/gatehouse.yaml,' +
      'packages/protocol/src/version.ts,{packages,examples}/*/package.json}',
    { cwd: root },
  )
  for (const path of paths) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path))
  }
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, version: '9.8.7-rc.1' }))
  const changed = findOldVersions(copy)
  assert.deepEqual(changed.map(({ path }) => path).sort(), paths.sort())
  for (const { path, text } of changed) {
    assert.ok(text.includes('9.8.7-rc.1'), path)
    const old = new RegExp(`(?:gatehouse(?:-2)?[:-]|^ {2}"version": ")${version}`, 'm')
    assert.doesNotMatch(text, old, path)
  }
  const lock = JSON.parse(changed.find(({ path }) => path === 'package-lock.json')?.text ?? '')
  const own = Object.entries<{ version: string }>(lock.packages)
    .filter(([path]) => /^(?:packages|examples)\/[^/]+$/.test(path) || path === '')
    .flatMap(([, { version: found }]) => found ?? [])
  assert.ok(own.length > 5)
  assert.deepEqual([...new Set([lock.version, ...own])], ['9.8.7-rc.1'])
})
