import { cruise, type ICruiseResult, type IViolation } from 'dependency-cruiser'
import type { Finding } from './finding.ts'
import { matches } from './folders.ts'
import { importRules } from './import-rules.ts'

/**
 * Checks the imports of `files` (relative to `root`), including type imports, against `importRules`.
 * Throws if a file could not be read, because an incomplete graph has no findings.
 */
export async function checkImports(root: string, files: string[]): Promise<Finding[]> {
  const { output } = await cruise(
    files,
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: importRules },
      doNotFollow: { path: '(^|/)node_modules/' },
      // Includes `import type` and `import('…').T`.
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
  if (typeof output === 'string') throw new Error('dependency-cruiser returned text instead of a graph')
  assertComplete(files, output)
  return deduplicate(output.summary.violations.filter(isCause).map(toFinding))
}

/**
 * If `typescript` is TypeScript 7, dependency-cruiser cannot read `.ts` files and returns an empty graph without an
 * error (docs/decisions/typescript-twice.md).
 */
function assertComplete(files: string[], { modules }: ICruiseResult): void {
  const read = new Set(modules.map(({ source }) => source))
  const unread = files.filter(file => !read.has(file))
  if (files.length === 0 || unread.length > 0)
    throw new Error(
      `the import graph contains ${files.length - unread.length} of ${files.length} files. Missing: ${unread.slice(0, 5).join(', ')}`,
    )
}

/**
 * Only the file that imports the framework or a file that may import it is reported, not the files that import
 * that file.
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
  const cyclePath = cycle?.map(({ name }) => name)
  if (cyclePath) {
    // dependency-cruiser reports a cycle once per file. Starting each path at the same file makes the reports equal.
    const start = cyclePath.toSorted()[0] ?? from
    const at = cyclePath.indexOf(start)
    const path = [...cyclePath.slice(at), ...cyclePath.slice(0, at), start]
    return { rule: rule.name, file: start, message: path.join(' → ') }
  }
  const path = via ? [from, ...via.map(({ name }) => name)].join(' → ') : to
  return { rule: rule.name, file: from, message: `${comment ?? describeRule(rule.name)} (${path})` }
}

function describeRule(name: string): string {
  return importRules.find(rule => rule.name === name)?.comment ?? name
}

/** Removes duplicates. For a file that reaches the framework by several paths, the shortest path remains. */
function deduplicate(findings: Finding[]): Finding[] {
  const first = new Map<string, Finding>()
  for (const finding of findings.toSorted((a, b) => a.message.length - b.message.length)) {
    const key = `${finding.rule} ${finding.file}${finding.rule === 'framework-not-reached' ? '' : finding.message}`
    if (!first.has(key)) first.set(key, finding)
  }
  return [...first.values()]
}
