import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { subset } from 'semver'

/**
 * Checks the packages of `package-lock.json`: npm can verify every file that `npm ci` installs, none of them runs a program when it
 * is installed, and all run on every version of Node.js that `engines` of `package.json` names.
 */

/** An entry of `packages` in `package-lock.json`. The key is its path; workspaces and links to them have no `integrity`. */
interface LockedPackage {
  version?: string
  integrity?: string
  link?: boolean
  /** Names of architectures. Without it, the package runs on all. */
  cpu?: string | string[]
  engines?: { node?: string }
  hasInstallScript?: boolean
}

export interface Lock {
  packages: Readonly<Record<string, LockedPackage>>
}

/** The packages that come from a registry, by their path. */
function registryPackages({ packages }: Lock): [string, LockedPackage][] {
  return Object.entries(packages).filter(([path, entry]) => path.includes('node_modules/') && !entry.link)
}

/** Node.js itself is installed for these architectures only: the optional packages of package.json. */
function isInstalled({ cpu = [] }: LockedPackage): boolean {
  const names = [cpu].flat()
  return names.length === 0 || ['x64', 'arm64'].some(name => names.includes(name))
}

/** Returns the faults of the lock. `engines` is the range of Node.js versions that the repository supports. */
export function checkLock(lock: Lock, engines: string): string[] {
  return registryPackages(lock).flatMap(([path, entry]) => {
    const faults: string[] = []
    if (entry.integrity === undefined) faults.push('no integrity')
    if (entry.hasInstallScript) faults.push('runs a script when it is installed')
    const { node = '*' } = entry.engines ?? {}
    if (isInstalled(entry) && !subset(engines, node))
      faults.push(`needs Node.js ${node}, but package.json promises ${engines}`)
    return faults.map(fault => `${path} ${entry.version}: ${fault}`)
  })
}

function main(): void {
  const root = join(import.meta.dirname, '..')
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const faults = checkLock(read('package-lock.json'), read('package.json').engines.node)
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}

if (import.meta.main) main()
