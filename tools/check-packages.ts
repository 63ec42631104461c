import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licences (SPDX ids) that we may use and distribute. libvips (sharp) has LGPL-3.0; some tools have MPL-2.0. */
const allowedLicenses = new Set(
  `0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause ISC LGPL-3.0-or-later MIT MIT-0 MPL-2.0 PSF-2.0 Python-2.0
  Unlicense Zlib`.split(/\s+/),
)

/** An entry of `packages` in `package-lock.json`. `license` is an SPDX expression. */
type LockedPackage = { license?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean }

/** Of alternatives (`OR`), one must be allowed; of combinations (`AND`), all. */
function isAllowed(expression: string): boolean {
  const alternatives = expression.replaceAll(/[()]/g, '').split(' OR ')
  return alternatives.some(alternative => alternative.split(' AND ').every(id => allowedLicenses.has(id)))
}

/** Each package of a registry has a hash that npm verifies, an allowed licence and no script at installation. */
export function checkLock(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages).flatMap(
    ([path, { link, integrity, hasInstallScript, license = 'unknown' }]) => {
      if (link || !path.includes('node_modules/')) return []
      return [
        ...(integrity === undefined ? [`${path} has no integrity`] : []),
        ...(hasInstallScript ? [`${path} runs a script when it is installed`] : []),
        ...(isAllowed(license) ? [] : [`${path}: the licence ${license} is not allowed`]),
      ]
    },
  )
}

export function checkPackages(root: string): string[] {
  return checkLock(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages)
}
