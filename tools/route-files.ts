import { basename } from 'node:path'

/** The rule "From the URL to the file" of ARCHITECTURE.md, which `check-routes.ts` applies to every route of the service. */

/** A base path, and the folder below `packages/server/src/` that its routes belong to. */
export interface RouteBase {
  path: string
  folder: string
  /** The name of the route file, if it is an exception from the rule. */
  file?: string
}

/** The file that declares a route, and the files that may contain its operations. The first one that exists is used. */
interface RouteFiles {
  route: string
  operations: string[]
}

const heading = '## From the URL to the file'

/** Reads the table below the heading: a folder, then its base paths, each optionally followed by a file name in parentheses. */
export function readRouteTable(architecture: string): RouteBase[] {
  const section = architecture.split(heading)[1]?.split('\n## ')[0] ?? ''
  const bases = [...section.matchAll(/^\| `([^`]+)\/`\s*\|(.*)\|$/gm)].flatMap(([, folder = '', cell = '']) =>
    [...cell.matchAll(/`(\/[^`]*)`(?: \(`([^`]+)`\))?/g)].map(([, path = '', file]) => ({
      path,
      folder,
      ...(file === undefined ? {} : { file }),
    })),
  )
  if (bases.length === 0) throw new Error(`ARCHITECTURE.md has no table below "${heading}"`)
  return bases
}

/** Undefined if no base path matches. */
export function filesOf(bases: readonly RouteBase[], path: string): RouteFiles | undefined {
  const segments = segmentsOf(path)
  const base = bases
    .filter(candidate => isPrefix(segmentsOf(candidate.path), segments))
    .toSorted((a, b) => segmentsOf(b.path).length - segmentsOf(a.path).length)[0]
  if (base === undefined) return undefined
  const routes = base.folder.includes('/routes') ? base.folder : `${base.folder}/routes`
  if (base.file !== undefined) return { route: `${routes}/${base.file}`, operations: [] }
  const length = segmentsOf(base.path).length
  const word = segments.slice(length).find(isWord) ?? segments.slice(0, length).findLast(isWord) ?? ''
  const file = `${word.replace(/\.\w+$/, '')}.ts`
  const { folder } = base
  const operations =
    routes === folder ? [] : [...new Set([`${folder}/${file}`, `${folder}/${basename(folder)}.ts`])]
  return { route: `${routes}/${file}`, operations }
}

/** Whether the text of a route file declares the path, written out or as a template such as `${base}/slack`. */
export function declaresPath(text: string, path: string): boolean {
  const literals = [...text.matchAll(/'(\/[^'\n]*)'|`([^`\n]*\/[^`\n]*)`/g)].map(
    ([, plain, template]) => plain ?? template ?? '',
  )
  return literals.some(literal => {
    const pattern = literal
      .split(/\$\{[^}]*\}/)
      .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.*')
    return new RegExp(`^${pattern}$`).test(path)
  })
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1)
}

function isWord(segment: string): boolean {
  return segment !== '@me' && !segment.startsWith(':')
}

function isPrefix(base: string[], segments: string[]): boolean {
  return base.every((segment, index) => {
    const other = segments[index]
    return segment.startsWith(':') ? other?.startsWith(':') : segment === other
  })
}
