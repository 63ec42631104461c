export interface Progress {
  /** What happens to the rows: `Copied`, `Deleted` … A new one starts again. */
  action: string
  rows: number
  total: number
}

interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

const barWidth = 30
const redrawMs = 100

/**
 * Shows the progress: a bar that is redrawn on a terminal, otherwise a line for each tenth. `now` returns milliseconds
 * from any starting point.
 */
export function createProgress(output: Output, now: () => number): (progress: Progress) => void {
  let action: string | undefined
  /** Where this run began: a copy may continue an earlier one. */
  let start = { rows: 0, time: 0 }
  let drawnAt = 0
  let tenths = 0
  return progress => {
    const time = now()
    const { rows, total } = progress
    const isDone = rows >= total
    if (progress.action !== action) {
      action = progress.action
      start = { rows, time }
      drawnAt = Number.NEGATIVE_INFINITY
      // The last line is always printed.
      tenths = isDone ? 9 : Math.floor((10 * rows) / total)
    }
    const text = describe(progress, start, time)
    if (output.isTTY) {
      if (!isDone && time - drawnAt < redrawMs) return
      drawnAt = time
      output.write(`\r\x1b[K${bar(rows, total)} ${text}${isDone ? '\n' : ''}`)
      return
    }
    const reached = total === 0 ? 10 : Math.floor((10 * rows) / total)
    if (reached <= tenths) return
    tenths = reached
    output.write(`${text}\n`)
  }
}

function describe(
  { action, rows, total }: Progress,
  start: { rows: number; time: number },
  time: number,
): string {
  const percent = total === 0 ? 100 : Math.floor((100 * rows) / total)
  const parts = [`${action} ${formatCount(rows)} of ${formatCount(total)} rows, ${percent} %`]
  const rate = (1000 * (rows - start.rows)) / (time - start.time)
  if (Number.isFinite(rate) && rate > 0) {
    parts.push(`${formatCount(Math.round(rate))} rows/s`)
    if (rows < total) parts.push(`${formatDuration((total - rows) / rate)} left`)
  }
  return parts.join(', ')
}

function bar(rows: number, total: number): string {
  const filled = total === 0 ? barWidth : Math.floor((barWidth * rows) / total)
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`
}

/** `1,234,567` */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${Math.ceil(seconds)} s` : `${formatCount(minutes)} min`
}
