import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { additionalRoutes, contractRoutes, type Endpoint } from './contract-routes.ts'
import { declaresPath, filesOf, type RouteBase, readRouteTable } from './route-files.ts'
import { readServiceRoutes } from './service-routes.ts'

/**
 * Compares the routes of the service with the contract, in both directions, and with the tests: a test must contain the
 * path of each endpoint. Returns one line for each violation.
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

/**
 * Compares the file of every route with the rule "the URL names the file". `read` returns the text of a file below
 * `packages/server/src/`, undefined if there is none. Returns one line for each violation.
 */
export function compareFiles(
  service: readonly Endpoint[],
  bases: readonly RouteBase[],
  read: (file: string) => string | undefined,
): string[] {
  return [...new Set(service.map(({ path }) => unversioned(path)))].flatMap(path => {
    const files = filesOf(bases, path)
    if (files === undefined) return [`no base path in ARCHITECTURE.md matches ${path}`]
    const text = read(files.route)
    const faults: string[] = []
    if (text === undefined || !declaresPath(text, path))
      faults.push(`${path} must be declared in ${files.route}`)
    if (files.operations.length > 0 && files.operations.every(file => read(file) === undefined))
      faults.push(`the operations of ${path} must be in ${files.operations.join(' or ')}`)
    return faults
  })
}

function words({ method, path }: Endpoint): string {
  return `${method} ${path}`
}

/** The same for two spellings of one parameter. */
function key({ method, path }: Endpoint): string {
  return `${method} ${path.replace(/:\w+/g, ':')}`
}

/** One handler answers under every version (webhooks/dialect): one test of it does. */
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
  const read = (file: string) => {
    const path = join(root, 'packages/server/src', file)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  const faults = [
    ...compareRoutes(
      routes,
      contractRoutes,
      additionalRoutes,
      tests.map(file => readFileSync(join(root, file), 'utf8')),
    ),
    ...compareFiles(routes, readRouteTable(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')), read),
  ]
  for (const fault of faults) console.log(fault)
  console.log(`${routes.length} routes, ${contractRoutes.length} in the contract, ${faults.length} faults`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
