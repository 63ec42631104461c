import { cruise, type ICruiseResult, type IViolation } from 'dependency-cruiser'
import type { Finding } from './finding.ts'
import { importRules } from './import-rules.ts'
import { matches } from './places.ts'

/**
 * Reads the imports of `files` (relative to `root`), types included, and holds them against `importRules`.
 * Throws where a file was not read: a checker that reads nothing finds nothing.
 */
export async function checkImports(root: string, files: string[]): Promise<Finding[]> {
  const { output } = await cruise(
    files,
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: importRules },
      doNotFollow: { path: '(^|/)node_modules/' },
      // Types too: `import type` and `import('…').T` are imports of the house.
      tsPreCompilationDeps: true,
      detectProcessBuiltinModuleCalls: true,
      combinedDependencies: true,
      skipAnalysisNotInRules: true,
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['import', 'node', 'default', 'types'],
      },
    },
    { extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.cjs', '.json'] },
  )
  if (typeof output === 'string') throw new Error('the import graph came back as text')
  mustHaveRead(files, output)
  return distinct(output.summary.violations.filter(isCause).map(toFinding))
}

/**
 * With TypeScript 7 in the place of `typescript`, dependency-cruiser knows no `.ts` and reports an empty graph as
 * clean (docs/decisions/typescript-twice.md).
 */
function mustHaveRead(files: string[], { modules }: ICruiseResult): void {
  const read = new Set(modules.map(({ source }) => source))
  const unread = files.filter(file => !read.has(file))
  if (files.length === 0 || unread.length > 0)
    throw new Error(
      `the import graph holds ${files.length - unread.length} of ${files.length} files; not read: ${unread.slice(0, 5).join(', ')}`,
    )
}

/**
 * A file that reaches the framework through one that is itself found is a consequence: what crosses into the edge is
 * reported, not all that stands above it.
 */
function isCause({ rule, via }: IViolation): boolean {
  const first = via?.[0]?.name
  const from = importRules.find(({ name }) => name === rule.name)?.from
  return first === undefined || !isSubject(first, from?.path, from?.pathNot)
}

function isSubject(path: string, among?: string | string[], except?: string | string[]): boolean {
  return matches(path, ...[among ?? []].flat()) && !matches(path, ...[except ?? []].flat())
}

function toFinding({ rule, from, to, cycle, via, comment }: IViolation): Finding {
  const circle = cycle?.map(({ name }) => name)
  if (circle) {
    // The same circle is reported once for each of its files: it is named by the first in the alphabet.
    const start = circle.toSorted()[0] ?? from
    const at = circle.indexOf(start)
    const path = [...circle.slice(at), ...circle.slice(0, at), start]
    return { rule: rule.name, file: start, message: path.join(' → ') }
  }
  const path = via ? [from, ...via.map(({ name }) => name)].join(' → ') : to
  return { rule: rule.name, file: from, message: `${comment ?? meaning(rule.name)} (${path})` }
}

function meaning(name: string): string {
  return importRules.find(rule => rule.name === name)?.comment ?? name
}

/** A file that reaches the same forbidden thing by several ways is one finding, by the shortest of them. */
function distinct(findings: Finding[]): Finding[] {
  const first = new Map<string, Finding>()
  for (const finding of findings.toSorted((a, b) => a.message.length - b.message.length)) {
    const key = `${finding.rule} ${finding.file}${finding.rule === 'framework-not-reached' ? '' : finding.message}`
    if (!first.has(key)) first.set(key, finding)
  }
  return [...first.values()]
}
