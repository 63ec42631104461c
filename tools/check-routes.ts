import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declaresPath, filesOf, type RouteBase, readRouteTable } from './route-files.ts'
import { additionalRoutes, type Endpoint, specifiedRoutes } from './specified-routes.ts'

/**
 * Compares the routes of the service with the specified ones, in both directions, and with the tests: a test must contain
 * the path of each route. Returns one line for each error.
 */
export function compareRoutes(
  service: readonly Endpoint[],
  specified: readonly Endpoint[],
  additional: readonly Endpoint[],
  tests: readonly string[],
): string[] {
  const existing = new Set(service.map(key))
  const expected = new Set([...specified, ...additional].map(key))
  const seen = new Set<string>()
  return [
    ...specified
      .filter(endpoint => !existing.has(key(endpoint)))
      .map(endpoint => `the service has no route ${format(endpoint)}`),
    ...service
      .filter(endpoint => !expected.has(key(endpoint)))
      .map(endpoint => `not in the specification: ${format(endpoint)}`),
    ...service
      .filter(endpoint => seen.size === seen.add(key(endpoint)).size)
      .map(endpoint => `declared twice: ${format(endpoint)}`),
    ...[...new Set(service.map(({ path }) => path))]
      .filter(path => !tests.some(text => requestPattern(path).test(text)))
      .map(path => `no test requests ${path}`),
  ]
}

/**
 * Compares the file of every route with the rule "From the URL to the file" of ARCHITECTURE.md. `read` returns the text of a file below
 * `packages/server/src/`, undefined if there is none. Returns one line for each error.
 */
export function compareFiles(
  service: readonly Endpoint[],
  bases: readonly RouteBase[],
  read: (file: string) => string | undefined,
): string[] {
  return [...new Set(service.map(({ path }) => path))].flatMap(path => {
    const files = filesOf(bases, path)
    if (files === undefined) return [`no base path in ARCHITECTURE.md matches ${path}`]
    const text = read(files.route)
    const errors: string[] = []
    if (text === undefined || !declaresPath(text, path))
      errors.push(`${path} must be declared in ${files.route}`)
    if (files.operations.length > 0 && files.operations.every(file => read(file) === undefined))
      errors.push(`the operations of ${path} must be in ${files.operations.join(' or ')}`)
    return errors
  })
}

function format({ method, path }: Endpoint): string {
  return `${method} ${path}`
}

/** Equal for routes that differ only in the names of their parameters. */
function key({ method, path }: Endpoint): string {
  return `${method} ${path.replace(/:\w+/g, ':')}`
}

/** Matches the path in the text of a test, with its parameters or with values for them. */
function requestPattern(path: string): RegExp {
  const segment = String.raw`(?:\$\{[^}]*\}|[^/\s'"${'`'}?#$])+`
  const pattern = path
    .replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/:\w+/g, () => segment)
    .replace(/@me/g, '(?:@me|%40me)')
  return new RegExp(`${pattern}(?![\\w/@:$-])`)
}

export function checkRoutes(root: string, routes: readonly Endpoint[]): string[] {
  const tests = globSync('packages/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] })
  const read = (file: string) => {
    const path = join(root, 'packages/server/src', file)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  return [
    ...compareRoutes(
      routes,
      specifiedRoutes,
      additionalRoutes,
      tests.map(file => readFileSync(join(root, file), 'utf8')),
    ),
    ...compareFiles(routes, readRouteTable(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')), read),
  ]
}
