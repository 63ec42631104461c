/** The cells of the first table of a page, or of the section below a heading. Without the head. */
export function readTable(text: string, heading?: string): string[][] {
  const section = heading === undefined ? text : (text.split(`\n${heading}\n`)[1] ?? '').split(/^#+ /m)[0]
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section ?? '') ?? []
  const lines = table.trimEnd().split('\n').slice(2)
  return lines.map(line =>
    line
      .slice(2, -2)
      .split(' | ')
      .map(cell => cell.trim()),
  )
}
