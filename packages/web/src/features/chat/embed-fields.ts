/** The number of fields in the row of a field. */
export type FieldColumns = 1 | 2 | 3

/**
 * The layout of Discord: consecutive inline fields form rows of three, and the remaining one or two fields form the
 * last row.
 */
export function layoutFields(fields: readonly { inline?: boolean }[]): FieldColumns[] {
  const layout: FieldColumns[] = []
  let inlineCount = 0
  const finishRows = () => {
    for (let remaining = inlineCount; remaining > 0; remaining -= 3) {
      const columns = remaining >= 3 ? 3 : remaining === 2 ? 2 : 1
      for (let column = 0; column < columns; column++) layout.push(columns)
    }
    inlineCount = 0
  }
  for (const { inline } of fields) {
    if (inline) inlineCount += 1
    else {
      finishRows()
      layout.push(1)
    }
  }
  finishRows()
  return layout
}
