import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { variables } from '@gatehouse/testkit/config'
import { specifiedRoutes } from '../specified-routes.ts'
import { readText, readYaml, version } from './files.ts'

const path = 'deploy/kubernetes/gatehouse.yaml'
const nodeModules = join(import.meta.dirname, '../../node_modules')

interface Manifest {
  apiVersion: string
  kind: string
  data?: Record<string, string>
}

const manifests = readYaml<Manifest>(path)

/** `networking.k8s.io/v1` is `networking/v1` in the package, and `v1` is `core/v1`. */
function findTypes(apiVersion: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return `kubernetes-types/${group?.split('.')[0]}/${version}`
}

/** Compiles the manifests as object literals, so that unknown and missing fields are errors. */
function compile(objects: readonly Manifest[], t: { after(callback: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-manifests-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(nodeModules, join(folder, 'node_modules'))
  const lines = objects.map(
    object =>
      `;(${JSON.stringify(object)}) satisfies import('${findTypes(object.apiVersion)}').${object.kind}\n`,
  )
  writeFileSync(join(folder, 'manifests.ts'), lines.join(''))
  const compiler = join(nodeModules, '@typescript/native/bin/tsc')
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', '--skipLibCheck']
  return spawnSync(process.execPath, [compiler, ...options, 'manifests.ts'], {
    cwd: folder,
    encoding: 'utf8',
  }).stdout
}

test('the manifests have the fields and types of the Kubernetes API', t => {
  assert.equal(compile(manifests, t), '')
  const wrong = manifests.map(manifest => ({ ...manifest, spce: {} }))
  assert.equal(compile(wrong, t).match(/"spce"' does not exist/g)?.length, manifests.length)
})

test('the manifests set variables of the configuration', () => {
  const names = variables.map(({ name }) => name)
  const config = Object.keys(manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {})
  const secret = Array.from(readText(path).matchAll(/--from-literal=(\w+)=/g), ([, name = '']) => name)
  assert.ok(config.length > 0 && secret.length > 0)
  assert.deepEqual(
    [...config, ...secret].filter(name => !names.includes(name)),
    [],
  )
})

test('the probes request endpoints of the service, and the image has its version', () => {
  const text = readText(path)
  const paths = Array.from(text.matchAll(/httpGet: { path: (\S+),/g), ([, probed]) => probed)
  assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz'])
  for (const probed of paths) assert.ok(specifiedRoutes.some(route => route.path === probed))
  assert.match(text, new RegExp(`image: \\S+/gatehouse:${version.replaceAll('.', '\\.')}\n`))
})
