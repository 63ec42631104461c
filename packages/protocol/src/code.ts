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

// The list items and block quotes around a line. The limits keep the lines of code short, because each begins like
// this.
const container = /^(?:[ \t]{0,8}(?:> |[-*][ \t]|\d{1,9}\.[ \t])){0,3}[ \t]{0,8}/
const language = /^[\w+.#-]+(?=\r?\n[\s`]*[^\s`])/

/**
 * Puts the fences of code with several lines on lines of their own, as Markdown requires, and those of code that begins
 * or ends with a backtick. With `languages`, a first line of one word is the language of the code, as on Discord.
 */
export function separateCode(text: string, { languages }: { languages: boolean }): string {
  let lines = ''
  let line = ''
  const add = (added: string) => {
    const end = added.lastIndexOf('\n') + 1
    if (end > 0) lines += line + added.slice(0, end)
    line = end > 0 ? added.slice(end) : line + added
  }
  let read = 0
  let follows = false
  for (const part of splitCode(text)) {
    read += part.text.length
    const body = part.text.slice(part.fence, -part.fence)
    if (part.fence < 3 || !/[^\s`]/.test(body) || !/\n|^`|`$/.test(body)) {
      add(follows ? part.text.trimStart() : part.text)
      follows = false
      continue
    }
    const [start] = container.exec(line) ?? ['']
    const indent = start.replace(/[^>\s]/g, ' ')
    const [word = ''] = (languages && language.exec(body)) || []
    const fence = '`'.repeat(part.fence)
    const isAlone = line.slice(start.length).trim() === ''
    line = isAlone ? start : `${line.trimEnd()}\n${indent}`
    add([fence + word, ...removeIndent(body.slice(word.length), indent), fence].join(`\n${indent}`))
    follows = !/^[ \t]*(?:\r?\n|$)/.test(text.slice(read))
    if (follows) add(`\n${indent}`)
  }
  return lines + line
}

/**
 * The lines of code without the indentation of its container, and without what is only the end of a line with a fence.
 */
function removeIndent(body: string, indent: string): string[] {
  const prefix = new RegExp(`^${indent.replace(/./g, char => (char === '>' ? '>?' : '[ \\t]?'))}`)
  const lines = body.split('\n').map((line, index) => (index === 0 ? line : line.replace(prefix, '')))
  if (lines[0]?.trim() === '') lines.shift()
  if (/^[ \t]*`*$/.test(lines.at(-1) ?? '')) lines.pop()
  return lines
}

/** A character with a backslash, a backtick, or tildes at the start of a line, list item or block quote. */
const escapable = /\\.|`|(?=~{3})(?<=^[-\t >*+\d.)]*)~/gm

/**
 * Escapes what is code in Markdown only: backticks that nothing closes, or with only line breaks between them, and
 * fences of tildes. So a reader sees as code what `parseMentions` ignores.
 */
export function escapeOtherFences(text: string): string {
  const addBackslash = (found: string) => (found.startsWith('\\') ? found : `\\${found}`)
  return splitCode(text)
    .map(part =>
      part.fence > 0 && /[^\s`]|^.*$/.test(part.text)
        ? part.text
        : part.text.replace(escapable, addBackslash),
    )
    .join('')
}
