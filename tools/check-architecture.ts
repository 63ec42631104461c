import { type Finding, formatFinding, sortFindings } from './architecture/finding.ts'
import { checkImports } from './architecture/import-graph.ts'
import { listFiles, listSources, parseSource } from './architecture/source-files.ts'
import { checkPaths, checkSource } from './architecture/source-rules.ts'

/**
 * Checks the source below `root` against the rules of ARCHITECTURE.md. Throws if imports could not be read.
 */
export async function findViolations(root: string): Promise<Finding[]> {
  const files = listSources(root)
  return sortFindings([
    ...checkPaths([...new Set([...files, ...listFiles(root)])]),
    ...files.flatMap(path => checkSource(parseSource(root, path))),
    ...(await checkImports(root, files)),
  ])
}

export async function checkArchitecture(root: string): Promise<string[]> {
  return (await findViolations(root)).map(formatFinding)
}
