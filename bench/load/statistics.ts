/** The result of a load. Times are in milliseconds. */
export interface LoadResult {
  /** The number of expected responses. */
  done: number
  perSecond: number
  p50: number
  p99: number
  /** The number of other responses by error text. */
  errors: Record<string, number>
}

export interface Counter {
  /** `fault` is undefined for an expected response. */
  count(ms: number, fault: string | undefined): void
  /** `ms` is the duration of the load in milliseconds. */
  summarize(ms: number): LoadResult
}

export function createCounter(): Counter {
  const times: number[] = []
  const errors: Record<string, number> = {}
  return {
    count(ms, fault) {
      if (fault === undefined) times.push(ms)
      else errors[fault] = (errors[fault] ?? 0) + 1
    },
    summarize(ms) {
      const sorted = Float64Array.from(times).sort()
      return {
        done: times.length,
        perSecond: (times.length / ms) * 1000,
        p50: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
        errors,
      }
    },
  }
}

/** The quantile of sorted numbers by nearest rank. NaN for an empty list. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
