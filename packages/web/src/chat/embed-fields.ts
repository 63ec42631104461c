/** Of how many a field is one, side by side: 1 has the width of the card. */
export type Beside = 1 | 2 | 3

/**
 * How fields stand, as on the compatible platform, for which programs lay them out: those that are inline and follow
 * each other share rows of three; two that are left over share one, and one has a row of its own.
 */
export function layFields(fields: readonly { inline?: boolean }[]): Beside[] {
  const laid: Beside[] = []
  let run = 0
  const close = () => {
    for (let left = run; left > 0; left -= 3) {
      const beside = left >= 3 ? 3 : left === 2 ? 2 : 1
      for (let i = 0; i < beside; i++) laid.push(beside)
    }
    run = 0
  }
  for (const { inline } of fields) {
    if (inline) run += 1
    else {
      close()
      laid.push(1)
    }
  }
  close()
  return laid
}
