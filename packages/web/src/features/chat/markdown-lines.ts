/** A mark of Discord: with a space after it, and an item of a list also with a text. */
const mark = /^[ \t]*(?:> |(?:[-*]|(?:0|[1-9]\d{0,8})\.)[ \t]+(?=\S))/
/** Other marks of Markdown, such as `>_<`, `+ a`, `1) a` and an empty item. */
const otherMark = /^[ \t]*(?:\d{1,9}(?=[.)](?:\s|$))|(?=>|[-+*](?:\s|$)))/
const thematicBreak = /^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})\s*$/
const longQuote = /^[ \t]*>>> /
const openingFence = /^(?:[ \t>]|[-*][ \t]|\d{1,9}\.[ \t])*(`{3,})(?!.*`)/
const closingFence = /^[ \t>]*(`{3,})\s*$/

/** More marks on a line are text: the parser needs quadratic time for them, and browsers for deep documents. */
const maxMarks = 10

/**
 * Gives lines the blocks that they have on Discord. A list and a block quote end at the first line that is not part of
 * them: in Markdown such a line continues the block, so `Annotations:` after a list would be part of the last item.
 * `>>> ` quotes the rest of the text. Marks of other blocks are escaped. `text` has no other fences than those of code
 * (`escapeOtherFences`).
 */
export function adaptBlocks(text: string, isQuoted = false): string {
  const typed = text.split('\n')
  const lines: string[] = []
  let openBlock: 'item' | 'quote' | undefined
  let openFence: string | undefined
  for (const [index, line] of typed.entries()) {
    if (openFence !== undefined) {
      if (closingFence.exec(line)?.[1]?.startsWith(openFence)) openFence = undefined
      lines.push(line)
      continue
    }
    if (!isQuoted && longQuote.test(line)) {
      const rest = [line.replace(longQuote, ''), ...typed.slice(index + 1)].join('\n')
      return [...lines, '', adaptBlocks(rest, true).replace(/^/gm, '> ')].join('\n')
    }
    openFence = openingFence.exec(line)?.[1]
    const isEmpty = line.trim() === ''
    const continuesQuote = openBlock === 'quote' && line.trim() === '>'
    const block = continuesQuote ? 'quote' : blockOf(line)
    const continues = block === openBlock || isEmpty || (openBlock === 'item' && /^\s/.test(line))
    if (openBlock !== undefined && !continues) lines.push('')
    if (block !== undefined || isEmpty || !continues) openBlock = block
    lines.push(continuesQuote ? line : escapeOtherMarks(line))
  }
  return lines.join('\n')
}

function blockOf(line: string): 'item' | 'quote' | undefined {
  const found = findMark(line)
  if (found === undefined) return undefined
  return found.endsWith('> ') ? 'quote' : 'item'
}

function findMark(line: string): string | undefined {
  return thematicBreak.test(line) ? undefined : mark.exec(line)?.[0]
}

function escapeOtherMarks(line: string): string {
  let start = 0
  for (let count = 0; count < maxMarks; count++) {
    const found = findMark(line.slice(start))
    if (found === undefined) break
    start += found.length
  }
  return line.slice(0, start) + line.slice(start).replace(otherMark, '$&\\')
}
