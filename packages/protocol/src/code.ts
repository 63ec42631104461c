/** A part of a text. `fence`: the number of backticks on both sides of code, otherwise 0. */
interface Part {
  text: string
  fence: number
}

/**
 * Divides Markdown into code and the text around it. Code is between two runs of as many backticks, on one line if
 * there are fewer than three. A run of three or more may be anywhere in a line, as on Discord and Slack.
 */
export function splitCode(text: string): Part[] {
  const parts: Part[] = []
  const runs = findRuns(text)
  // The fences that nothing closes: searching for each of them only once keeps the time short.
  const unclosed = new Set<number>()
  const close = (opening: number, fence: number) => {
    const closing = unclosed.has(fence) ? -1 : findClosing(runs, opening, fence)
    if (closing < 0 && fence >= 3) unclosed.add(fence)
    return closing
  }
  let from = 0
  for (let index = 0; index < runs.length; index++) {
    const opening = runs[index]
    if (opening === undefined || opening.isEscaped) continue
    let fence = opening.length
    let closing = close(index, fence)
    if (closing < 0 && opening.mayBeginCode) {
      fence = 3
      closing = close(index, fence)
    }
    const last = runs[closing]
    if (last === undefined) continue
    const end = last.start + last.length
    parts.push({ text: text.slice(from, opening.start), fence: 0 })
    parts.push({ text: text.slice(opening.start, end), fence })
    from = end
    index = closing
  }
  return [...parts, { text: text.slice(from), fence: 0 }]
}

interface Run {
  start: number
  length: number
  line: number
  isEscaped: boolean
  endsLine: boolean
  /** Whether only the first three backticks may be a fence, and the others belong to the code. */
  mayBeginCode: boolean
}

/** The runs of backticks. */
function findRuns(text: string): Run[] {
  const runs: Run[] = []
  let line = 0
  for (const match of text.matchAll(/\\\\|\n|(\\?)(`+)(?=([ \t]*(?:\r?\n|$))|(\S)?)/g)) {
    const [whole, backslash = '', backticks, lineEnd, next] = match
    if (whole === '\n') line += 1
    if (backticks === undefined) continue
    runs.push({
      start: match.index + backslash.length,
      length: backticks.length,
      line,
      isEscaped: backslash !== '',
      endsLine: lineEnd !== undefined,
      mayBeginCode: backticks.length > 3 && next !== undefined,
    })
  }
  return runs
}

/**
 * The index of the run that ends the code, or -1. A longer run at the end of a line also has the last backticks of the
 * code.
 */
function findClosing(runs: readonly Run[], opening: number, fence: number): number {
  for (let index = opening + 1; index < runs.length; index++) {
    const run = runs[index]
    if (run === undefined || (fence < 3 && run.line !== runs[opening]?.line)) break
    if (run.length === fence || (fence >= 3 && run.length > fence && run.endsLine)) return index
  }
  return -1
}
