import { formatCount } from '../../kit/progress.ts'
import type { TableResult } from './copy.ts'

/** One line for each table: its rows, the start of the checksum and the result. */
export function describeResults(results: readonly TableResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length))
  const lines = results.map(({ name, from, to, isEqual }) => {
    const sums = isEqual ? [from] : [from, to]
    const described = sums.map(sum => `${formatCount(sum.rows).padStart(11)} rows  ${`${sum}`.slice(0, 16)}`)
    return `${name.padEnd(width)}  ${described.join(isEqual ? '' : ' but ')}  ${isEqual ? 'equal' : 'DIFFERENT'}`
  })
  return lines.join('\n')
}
