/** A violation of a rule. */
export interface Finding {
  rule: string
  /** Relative to the root of the tree, with forward slashes. */
  file: string
  /** From 1. Undefined if the violation concerns the whole file. */
  line?: number
  message: string
}

export function formatFinding({ rule, file, line, message }: Finding): string {
  return `${file}${line === undefined ? '' : `:${line}`}  ${rule}: ${message}`
}

/** Sorts by file, line and rule, so that the output is deterministic. */
export function sortFindings(findings: Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) => a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0) || a.rule.localeCompare(b.rule),
  )
}
