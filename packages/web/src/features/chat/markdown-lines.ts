const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const quote = /^\s{0,3}>/
const fence = /^\s*(?:```|~~~)/

/**
 * Ends a list and a block quote at the first line that is not part of it, as Discord does. In Markdown such a line
 * continues the block, so `Annotations:` after a list would be part of the last item.
 */
export function closeBlocks(text: string): string {
  const lines: string[] = []
  let openBlock: RegExp | undefined
  let inFence = false
  for (const line of text.split('\n')) {
    const isCode = inFence
    if (fence.test(line)) inFence = !inFence
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
