import { setImmediate } from 'node:timers/promises'

/**
 * Runs `batch` until it handles fewer than `size` rows, and returns the sum. A sweep uses small batches, so that other
 * writers do not wait for it.
 */
export async function inBatches(batch: (limit: number) => Promise<number>, size = 100): Promise<number> {
  let total = 0
  for (;;) {
    const count = await batch(size)
    total += count
    if (count < size) return total
  }
}

/** Like `oneByOne`, with slices of `items`. Calls `work` at least once. */
export async function inSlices<T, R>(
  items: readonly T[],
  size: number,
  work: (slice: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const slices = [items.slice(0, size)]
  for (let i = size; i < items.length; i += size) slices.push(items.slice(i, i + size))
  return oneByOne(slices, work)
}

/**
 * Calls `work` with one item after the other. Between two items the event loop handles other events
 * (limits/event-loop), so it must not be called in a transaction.
 */
export async function oneByOne<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0) await setImmediate()
    results.push(await work(item))
  }
  return results
}

const maxSliceMs = 5

/**
 * Calls `work` with each item. If that takes long, the event loop handles other events in between (limits/event-loop).
 */
export async function mapWithPauses<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  let end = performance.now() + maxSliceMs
  for (const item of items) {
    if (performance.now() >= end) {
      await setImmediate()
      end = performance.now() + maxSliceMs
    }
    results.push(work(item))
  }
  return results
}

/** Bytes of JSON that are read and parsed without a pause (limits/event-loop). */
export const bytesPerSlice = 256 * 1024

/** Divides `items` into groups of at most `max` together. A larger item is a group of its own. */
export function groupBySize<T>(items: readonly T[], sizeOf: (item: T) => number, max: number): T[][] {
  const groups: T[][] = []
  let size = max
  for (const item of items) {
    size += sizeOf(item)
    const group = groups.at(-1)
    if (group !== undefined && size <= max) group.push(item)
    else {
      groups.push([item])
      size = sizeOf(item)
    }
  }
  return groups
}
