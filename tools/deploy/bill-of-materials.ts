import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// `node tools/deploy/bill-of-materials.ts`: prints the packages that a release contains or is built with, in CycloneDX.

interface Component {
  'bom-ref': string
  properties: { name: string; value: string }[]
}

export interface BillOfMaterials {
  bomFormat: string
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

export function readBillOfMaterials(): BillOfMaterials {
  const root = join(import.meta.dirname, '../..')
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const workspaces = ['server', 'web', 'bot'].map(name => `--workspace=@gatehouse/${name}`)
  const output = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', ...workspaces], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const all: BillOfMaterials = JSON.parse(output)
  // Not `--omit=dev`: it also omits packages that are a development dependency of another workspace, such as fastify. The lockfile
  // tells a development dependency that is also an optional peer of a released package, such as typescript.
  const lockedPackages = packages as Record<string, { name?: string; version: string; devOptional?: true }>
  const optionalPeers = new Set(
    Object.entries(lockedPackages)
      .filter(([, { devOptional }]) => devOptional)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  )
  const omitted = new Set(
    all.components
      .filter(
        ({ 'bom-ref': ref, properties }) =>
          optionalPeers.has(ref) || properties.some(({ name }) => name === 'cdx:npm:package:development'),
      )
      .map(component => component['bom-ref']),
  )
  return {
    ...all,
    components: all.components.filter(component => !omitted.has(component['bom-ref'])),
    dependencies: all.dependencies
      .filter(({ ref }) => !omitted.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(other => !omitted.has(other)) })),
  }
}

if (import.meta.main) console.log(JSON.stringify(readBillOfMaterials(), null, 2))
