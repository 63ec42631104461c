import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractRoutes, type Endpoint, routesBeside } from './contract-routes.ts'
import { readServiceRoutes } from './service-routes.ts'

/**
 * Compares the routes of the service with the contract, both ways, and with the texts of the tests: an endpoint is
 * tested where a test names its path. Returns what is amiss, one line each.
 */
export function compareRoutes(
  service: readonly Endpoint[],
  contract: readonly Endpoint[],
  beside: readonly Endpoint[],
  tests: readonly string[],
): string[] {
  const offered = new Set(service.map(key))
  const promised = new Set([...contract, ...beside].map(key))
  const seen = new Set<string>()
  return [
    ...contract
      .filter(endpoint => !offered.has(key(endpoint)))
      .map(endpoint => `not offered: ${words(endpoint)}`),
    ...service
      .filter(endpoint => !promised.has(key(endpoint)))
      .map(endpoint => `not in the contract: ${words(endpoint)}`),
    ...service
      .filter(endpoint => seen.size === seen.add(key(endpoint)).size)
      .map(endpoint => `offered twice: ${words(endpoint)}`),
    ...[...new Set(service.map(({ path }) => unversioned(path)))]
      .filter(path => !tests.some(text => asNamed(path).test(text)))
      .map(path => `no test names ${path}`),
  ]
}

function words({ method, path }: Endpoint): string {
  return `${method} ${path}`
}

/** The same for two spellings of one parameter. */
function key({ method, path }: Endpoint): string {
  return `${method} ${path.replace(/:\w+/g, ':')}`
}

/** One handler answers under every version (D33): one test of it does. */
function unversioned(path: string): string {
  return path.replace(/^\/api\/v\d+\//, '/api/')
}

/** The path in a test's text: written out, or with values in the places of its parameters. */
function asNamed(path: string): RegExp {
  const segment = String.raw`(?:\$\{[^}]*\}|[^/\s'"${'`'}?#$])+`
  const pattern = path
    .replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/:\w+/g, () => segment)
    .replace(/@me/g, '(?:@me|%40me)')
  return new RegExp(`${pattern}(?![\\w/@:$-])`)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const tests = globSync('packages/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] })
  const routes = await readServiceRoutes()
  const faults = compareRoutes(
    routes,
    contractRoutes,
    routesBeside,
    tests.map(file => readFileSync(join(root, file), 'utf8')),
  )
  for (const fault of faults) console.log(fault)
  console.log(`${routes.length} routes, ${contractRoutes.length} in the contract, ${faults.length} faults`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
