import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Adds to `package-lock.json` the packages for other platforms that a registry did not offer when the lock was
 * written. Without them `npm ci` takes the lock for stale (docs/decisions/typescript-twice.md says when to run this).
 * Their versions are those that the packages which want them pin; npm passes over them by platform.
 */

interface LockedPackage {
  version?: string
  optional?: boolean
  dev?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

interface Lock {
  packages: Record<string, LockedPackage>
}

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]

/** Returns the lock with the missing packages, and their names. */
export function completeLock(lock: Lock): { lock: Lock; added: string[] } {
  const packages = { ...lock.packages }
  const added: string[] = []
  for (const [path, wanting] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(wanting.optionalDependencies ?? {})) {
      if (places(path, name).some(place => place in packages)) continue
      const platform = platformOf(name)
      // A range names no version, and a package for every platform would be installed.
      if (!platform || !/^\d+\.\d+\.\d+/.test(version)) continue
      const { cpu, libc, os } = platform
      // In npm's own order, so that it changes nothing when it writes the lock again.
      packages[`node_modules/${name}`] = {
        version,
        cpu,
        ...(wanting.dev ? { dev: true } : {}),
        ...(libc ? { libc } : {}),
        optional: true,
        ...(os ? { os } : {}),
      }
      added.push(name)
    }
  }
  const sorted = Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  return { lock: { ...lock, packages: Object.fromEntries(sorted) }, added }
}

/** Where Node looks for `name` from a package at `path`: beside it, and beside all that it stands in. */
function places(path: string, name: string): string[] {
  const folders = path.split('/node_modules/')
  const above = folders.map(
    (_, index) => `${folders.slice(0, folders.length - index).join('/node_modules/')}/node_modules/${name}`,
  )
  return [...above, `node_modules/${name}`]
}

/** What npm asks of a platform, from the words that such packages are named with. */
function platformOf(name: string): { cpu: string[]; libc?: string[]; os?: string[] } | undefined {
  const words = name.split(/[-/.]/)
  const os = words.find(word => systems.includes(word))
  const cpu = words.find(word => processors.includes(word))
  if (!cpu || (!os && cpu !== 'wasm32')) return undefined
  const isMusl = words.some(word => word.startsWith('musl'))
  return { cpu: [cpu], ...(isMusl ? { libc: ['musl'] } : {}), ...(os ? { os: [os] } : {}) }
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../package-lock.json')
  const { lock, added } = completeLock(JSON.parse(readFileSync(file, 'utf8')))
  if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${added.length} added${added.map(name => `\n  ${name}`).join('')}`)
}
