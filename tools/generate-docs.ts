import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '../packages/server/src/config.ts'
import type { Route } from '../packages/server/src/http/route.ts'
import { readServiceRoutes } from './service-routes.ts'

/** `npm run docs` writes docs/reference.md; with `--check` it only says whether that is as it would write it. */

type Described = Pick<Route, 'method' | 'path' | 'summary' | 'tag' | 'caller'>

export function writeReference(routes: readonly Described[], settings: typeof variables): string {
  const tags = Map.groupBy(routes, ({ tag }) => tag)
  return [
    '# Reference',
    '',
    'Written by `npm run docs` from the declarations in the code; `npm run check` fails where it is stale.',
    'Schemas of bodies and answers: `/docs` and `/api/openapi.json` on a running service.',
    '',
    '## Configuration',
    '',
    ...table(
      ['variable', 'default', 'what it is for'],
      settings.map(({ name, default: fallback, description }) => [
        `\`${name}\``,
        asCode(fallback),
        description,
      ]),
    ),
    '',
    '## Endpoints',
    ...[...tags].flatMap(([tag, members]) => [
      '',
      `### ${tag}`,
      '',
      ...table(
        ['request', 'who', 'what it does'],
        members.map(route => [`\`${route.method} ${route.path}\``, callersOf(route), route.summary]),
      ),
    ]),
    '',
  ].join('\n')
}

/** A default that is a description has its own marks. */
function asCode(text: string): string {
  if (text === '') return '–'
  return text.includes('`') ? text : `\`${text}\``
}

function callersOf({ caller }: Described): string {
  const kinds = [
    ...(caller.session ? ['session'] : []),
    ...(caller.bot ? ['bot'] : []),
    ...(caller.bearer ? [`bearer with ${caller.bearer.map(scope => `\`${scope}\``).join(' or ')}`] : []),
  ]
  return kinds.length > 0 ? kinds.join(', ') : 'anybody'
}

function table(head: string[], rows: string[][]): string[] {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.map(escapeCell).join(' | ')} |`)
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../docs/reference.md')
  const text = writeReference(await readServiceRoutes(), variables)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (!existsSync(file) || text !== readFileSync(file, 'utf8')) {
    console.log('docs/reference.md is stale: npm run docs')
    process.exitCode = 1
  }
}
