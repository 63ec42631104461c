import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { subset } from 'semver'

/**
 * Checks the packages of `package-lock.json`: npm can verify every file that `npm ci` installs, none of them runs a program when it
 * is installed, all run on every version of Node.js that `engines` of `package.json` names, and their licences are known and allowed.
 * `docs/decisions/dependencies.md` must have a row for each dependency of the packages that are shipped.
 */

/** Licences (SPDX ids) of packages that we may use and distribute. None of them applies to the code that uses the package. */
const allowedLicenses: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  // libvips, a library that sharp loads (docs/decisions/images.md).
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  // Tools: lightningcss, axe-core.
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
])

const shippedPackages = ['server', 'web', 'gateway-client', 'protocol', 'bot']

/** An entry of `packages` in `package-lock.json`. The key is its path; workspaces and links to them have no `integrity`. */
interface LockedPackage {
  version?: string
  /** An SPDX expression. */
  license?: string
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

/** Of alternatives (`OR`), one must be allowed; of combinations (`AND`), all. */
function isAllowed(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some(alternative => alternative.split(' AND ').every(id => allowedLicenses.has(id)))
}

/** Compares the first column of the tables in `dependencies.md` with the dependencies that are not packages of this repository. */
export function checkList(text: string, dependencies: readonly string[]): string[] {
  const listed = [...text.matchAll(/^\| `([^`]+)` +\|/gm)].flatMap(([, name]) => name ?? [])
  const used = new Set(dependencies.filter(name => !name.startsWith('@gatehouse/')))
  return [
    ...[...used].filter(name => !listed.includes(name)).map(name => `dependencies.md does not list ${name}`),
    ...listed
      .filter(name => !used.has(name))
      .map(name => `dependencies.md lists ${name}, which no package uses`),
  ]
}

/** Returns the faults of the lock. `engines` is the range of Node.js versions that the repository supports. */
export function checkLock(lock: Lock, engines: string): string[] {
  return registryPackages(lock).flatMap(([path, entry]) => {
    const faults: string[] = []
    if (entry.integrity === undefined) faults.push('no integrity')
    if (entry.hasInstallScript) faults.push('runs a script when it is installed')
    if (entry.license === undefined) faults.push('no licence')
    else if (!isAllowed(entry.license)) faults.push(`the licence ${entry.license} is not allowed`)
    const { node = '*' } = entry.engines ?? {}
    if (isInstalled(entry) && !subset(engines, node))
      faults.push(`needs Node.js ${node}, but package.json promises ${engines}`)
    return faults.map(fault => `${path} ${entry.version}: ${fault}`)
  })
}

export function checkPackages(root: string): string[] {
  const readText = (file: string) => readFileSync(join(root, file), 'utf8')
  const read = (file: string) => JSON.parse(readText(file))
  const dependencies = shippedPackages.flatMap(name =>
    Object.keys(read(`packages/${name}/package.json`).dependencies),
  )
  return [
    ...checkLock(read('package-lock.json'), read('package.json').engines.node),
    ...checkList(readText('docs/decisions/dependencies.md'), dependencies),
  ]
}
