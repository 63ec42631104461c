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
