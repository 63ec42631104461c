/** The value of a result of `Promise.allSettled`. Throws the reason of a rejection. */
export function valueOrThrow<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
