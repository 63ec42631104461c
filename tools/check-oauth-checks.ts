import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * Holds the tests of the sign-in against the list of what the standards ask of an authorization server: each of its 140
 * lines has a test that bears its number (`check 63: …`, `checks 74, 94 and 132 to 136: …`), or a reason in
 * docs/decisions/oauth-checks.md why there is none.
 */

const lines = 140

// The lists for bots and webhooks have numbers of their own.
const places = [
  'packages/server/src/oauth/**/*.test.ts',
  'packages/server/src/applications/redirect-uri.test.ts',
]

/** Numbers in the names of the tests of one file: in literals, so that a comment counts for nothing. */
export function numbersIn(text: string): number[] {
  const found: number[] = []
  const source = ts.createSourceFile('x.test.ts', text, ts.ScriptTarget.Latest, false)
  function visit(node: ts.Node): void {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) found.push(...numbersOf(node.text))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** `check 63: …`, `checks 74, 94 and 132 to 136: …`. */
function numbersOf(name: string): number[] {
  const [, list] = /^checks? ([\dD][\dD, andto]*):/.exec(name) ?? []
  if (list === undefined) return []
  return [...list.matchAll(/(D?)(\d+)(?: to (\d+))?/g)].flatMap(([, decision, first, last]) => {
    if (decision !== '') return []
    const from = Number(first)
    return Array.from({ length: Number(last ?? first) - from + 1 }, (_one, index) => from + index)
  })
}

/** The lines of a table whose first cell is a number, and whose second says why no test bears it. */
export function excusedIn(decision: string): number[] {
  return [...decision.matchAll(/^\| (\d+) +\| +[^\s|].*\|$/gm)].map(([, number]) => Number(number))
}

/** What is amiss, one line each. */
export function compareChecks(tested: readonly number[], excused: readonly number[]): string[] {
  const has = new Set(tested)
  const all = Array.from({ length: lines }, (_one, index) => index + 1)
  return [
    ...all
      .filter(number => !has.has(number) && !excused.includes(number))
      .map(number => `no test bears the number of check ${number}`),
    ...excused.filter(number => has.has(number)).map(number => `check ${number} is excused, and has a test`),
    ...[...has, ...excused]
      .filter(number => number < 1 || number > lines)
      .map(number => `there is no check ${number}`),
  ]
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const files = globSync(places, { cwd: root })
  const tested = files.flatMap(file => numbersIn(read(file)))
  const faults = compareChecks(tested, excusedIn(read('docs/decisions/oauth-checks.md')))
  for (const fault of faults) console.log(fault)
  console.log(`${new Set(tested).size} of ${lines} checks in ${files.length} files, ${faults.length} faults`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
