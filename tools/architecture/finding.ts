/** One place where the source does not keep a rule of the house. */
export interface Finding {
  /** The rule's name, as the tests and the rule files spell it. */
  rule: string
  /** Relative to the root of the tree, with forward slashes. */
  file: string
  /** From 1; absent where the whole file is meant. */
  line?: number
  message: string
}

export function formatFinding({ rule, file, line, message }: Finding): string {
  return `${file}${line === undefined ? '' : `:${line}`}  ${rule}: ${message}`
}

/** By file, then line, then rule, so that two runs print the same. */
export function sortFindings(findings: Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) => a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0) || a.rule.localeCompare(b.rule),
  )
}
