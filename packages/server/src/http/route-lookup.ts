import type { Route } from './route.ts'

/** The routes that a URL matches, fully or in part. */
export interface RouteMatch {
  /** The decoded path without the query. */
  path: string
  /** The routes with this path, for any method. */
  routes: readonly Route[]
  /** One of `routes`, or else the route that shares the longest prefix with the path. Its error format applies. */
  nearest: Route | undefined
  /** The path parameters of `nearest`; empty unless its whole path matches. */
  params: Readonly<Record<string, string>>
}

/** Looks up routes for URLs that the router does not match: other methods, unknown paths and malformed URLs. */
export type RouteLookup = ReturnType<typeof createRouteLookup>

export function createRouteLookup() {
  const entries: { route: Route; segments: readonly string[] }[] = []

  return {
    add(routes: readonly Route[]): void {
      for (const route of routes) entries.push({ route, segments: splitPath(route.path) })
      // Static segments precede parameters, as in the router.
      entries.sort((a, b) => countParameters(a.segments) - countParameters(b.segments))
    },
    find(url: string): RouteMatch {
      const path = pathOf(url)
      const segments = splitPath(path)
      // All API paths share `/api`, so that this segment alone does not identify a route.
      let longest = segments[0] === 'api' ? 1 : 0
      let nearest: Route | undefined
      const routes: Route[] = []
      for (const { route, segments: pattern } of entries) {
        const matched = countMatchingSegments(pattern, segments)
        if (matched === pattern.length && matched === segments.length) routes.push(route)
        if (matched > longest) {
          longest = matched
          nearest = route
        }
      }
      const [exact] = routes
      if (exact === undefined) return { path, routes, nearest, params: {} }
      const pattern = splitPath(exact.path)
      return {
        path,
        // Without the routes that have a parameter in place of a static segment.
        routes: routes.filter(route => countParameters(splitPath(route.path)) === countParameters(pattern)),
        nearest: exact,
        params: readParameters(pattern, segments),
      }
    },
    /**
     * The path of a route that a path without one may mean, with the names of its parameters: `/api/users/@me` for
     * `/users/@me`, `/users/@me/` and `/api/v1/users/@me`. Undefined if there is none.
     */
    suggest(path: string): string | undefined {
      const base = path
        .replace(/\/+/g, '/')
        .replace(/(.)\/$/, '$1')
        .replace(/^(\/api)+(?=\/)/i, '')
      const unversioned = base.replace(/^\/v\d+(?=\/)/i, '')
      const discord = base === unversioned ? [] : [`/api/v10${unversioned}`]
      const variants = [...discord, `/api${unversioned}`, unversioned]
      for (const variant of variants.flatMap(found => [found, found.toLowerCase()])) {
        const segments = splitPath(variant)
        const found = entries.find(
          ({ segments: pattern }) =>
            pattern.length === segments.length && countMatchingSegments(pattern, segments) === pattern.length,
        )
        if (found !== undefined) return found.route.path
      }
      return undefined
    },
  }
}

/**
 * The paths of `routes` that match the pattern of another route with a method that they do not have. The router would
 * take the static segment for a parameter: DELETE …/passkeys/options for an id.
 */
export function findShadowedPaths(routes: readonly Route[]): { method: Route['method']; path: string }[] {
  const paths = new Map<string, { segments: readonly string[]; methods: Set<string> }>()
  for (const { method, path } of routes) {
    const known = paths.get(path)
    if (known) known.methods.add(method)
    else paths.set(path, { segments: splitPath(path), methods: new Set([method]) })
  }
  return routes.flatMap(({ method, path: pattern }) => {
    const parts = paths.get(pattern)?.segments ?? []
    return [...paths]
      .filter(([, { segments, methods }]) => !methods.has(method) && isShadowedBy(segments, parts))
      .map(([path]) => ({ method, path }))
  })
}

/** Whether the pattern `parts` matches a path with fewer parameters. */
function isShadowedBy(path: readonly string[], parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    countMatchingSegments(parts, path) === parts.length &&
    countParameters(path) < countParameters(parts)
  )
}

/**
 * The decoded path of a request target in origin-form or absolute-form (RFC 9112 §3.2). If it cannot be decoded, the
 * path without its percent escapes, which is sufficient to find the route.
 */
function pathOf(url: string): string {
  const target = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? '')
  const [path = ''] = target.split(/[?#]/, 1)
  try {
    return decodeURI(path)
  } catch {
    return path.replace(/%[^/]{0,2}/g, '')
  }
}

function splitPath(path: string): string[] {
  return path.split('/').slice(1)
}

function countMatchingSegments(pattern: readonly string[], segments: readonly string[]): number {
  const firstDifference = pattern.findIndex((part, i) => {
    const segment = segments[i] ?? ''
    return part.startsWith(':') ? segment === '' : part !== segments[i]
  })
  return firstDifference < 0 ? pattern.length : firstDifference
}

function countParameters(pattern: readonly string[]): number {
  return pattern.filter(part => part.startsWith(':')).length
}

function readParameters(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const entries = pattern.flatMap((part, i) =>
    part.startsWith(':') ? [[part.slice(1), segments[i] ?? '']] : [],
  )
  return Object.fromEntries(entries)
}
