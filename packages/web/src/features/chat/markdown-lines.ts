const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const quote = /^\s{0,3}>/
const fence = /^(?:\s|[-*+]\s|\d{1,9}[.)]\s)*(`{3,}(?!.*`))/

/**
 * Ends a list and a block quote at the first line that is not part of it, as Discord does. In Markdown such a line
 * continues the block, so `Annotations:` after a list would be part of the last item. `text` has no other fences than
 * those of code (`escapeOtherFences`).
 */
export function closeBlocks(text: string): string {
  const lines: string[] = []
  let openBlock: RegExp | undefined
  let openFence: string | undefined
  for (const line of text.split('\n')) {
    const isCode = openFence !== undefined
    const [, mark] = fence.exec(line) ?? []
    if (openFence === undefined) openFence = mark
    else if (mark?.startsWith(openFence) && line.trim() === mark) openFence = undefined
    if (!isCode) {
      const block = [item, quote].find(pattern => pattern.test(line))
      const isEmpty = line.trim() === ''
      const continues = block === openBlock || isEmpty || (openBlock === item && /^\s/.test(line))
      if (openBlock !== undefined && !continues) lines.push('')
      if (block !== undefined || isEmpty || !continues) openBlock = block
    }
    lines.push(line)
  }
  return lines.join('\n')
}

// The limit of render-markdown.ts for the depth. Markdown needs white space after the marker of a list item, so `-1` is
// none.
const deepBlock =
  /^((?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){10}[ \t]*)(?:(?=[>*+-])|(\d{1,9})(?=[.)]))/gm

/** Escapes the eleventh marker of a block quote or list item on a line: the parser needs quadratic time for them. */
export function escapeDeepBlocks(text: string): string {
  return text.replace(deepBlock, '$1$2\\')
}
