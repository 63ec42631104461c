const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
const quote = /^\s{0,3}>/
const fence = /^\s*(?:```|~~~)/

/**
 * Ends a list and a quote at the first line that is none, as in chat. In Markdown such a line belongs to what stands
 * before it, so `Annotations:` under a list of labels would be a part of the last label.
 */
export function endBlocks(text: string): string {
  const lines: string[] = []
  let open: RegExp | undefined
  let fenced = false
  for (const line of text.split('\n')) {
    const inCode = fenced
    if (fence.test(line)) fenced = !fenced
    if (!inCode) {
      const opened = [item, quote].find(kind => kind.test(line))
      const goesOn = opened === open || line.trim() === '' || (open === item && /^\s/.test(line))
      if (open !== undefined && !goesOn) lines.push('')
      if (opened !== undefined || line.trim() === '' || !goesOn) open = opened
    }
    lines.push(line)
  }
  return lines.join('\n')
}
