import { join } from 'node:path'
import { type Finding, formatFinding, sortFindings } from './architecture/finding.ts'
import { checkImports } from './architecture/import-graph.ts'
import { listFiles, listSources, parseSource } from './architecture/source-files.ts'
import { checkPaths, checkSource } from './architecture/source-rules.ts'

/**
 * Checks the source below `root` against the rules of ARCHITECTURE.md. Throws if imports could not be read.
 */
export async function checkArchitecture(root: string): Promise<{ files: number; findings: Finding[] }> {
  const files = listSources(root)
  const findings = [
    ...checkPaths([...new Set([...files, ...listFiles(root)])]),
    ...files.flatMap(path => checkSource(parseSource(root, path))),
    ...(await checkImports(root, files)),
  ]
  return { files: files.length, findings: sortFindings(findings) }
}

if (import.meta.main) {
  const { files, findings } = await checkArchitecture(process.argv[2] ?? join(import.meta.dirname, '..'))
  for (const finding of findings) console.log(formatFinding(finding))
  console.log(`${files} files, ${findings.length} findings`)
  process.exitCode = findings.length > 0 ? 1 : 0
}
