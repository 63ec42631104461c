/** What happened, before it is put on a card with who did it and where. */
export interface News {
  /** Behind the repository's name. */
  title: string
  url: string | undefined
  /** Markdown, as GitHub's own texts are. */
  text?: string
  color: number
  /** Beside the repository's name. */
  branch?: string
}

/** Colours by outcome. */
export const colors = {
  good: 0x2da44e,
  bad: 0xcf222e,
  merged: 0x8250df,
  waiting: 0xbf8700,
  plain: 0x6e7781,
} as const

const outcomes: ReadonlyMap<string, number> = new Map([
  ['success', colors.good],
  ['approved', colors.good],
  ['failure', colors.bad],
  ['error', colors.bad],
  ['timed_out', colors.bad],
  ['startup_failure', colors.bad],
  ['changes_requested', colors.bad],
  ['action_required', colors.waiting],
])

export function colorOf(outcome: string): number {
  return outcomes.get(outcome) ?? colors.plain
}
