import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const largeHeapBytes = 96 * 1024 * 1024

/**
 * Once a second, makes V8 collect a large heap when it has grown by 40 %. By default it may become several times as large first, so
 * that a burst of large requests would take up to 140 MiB more. A small heap, of the usual requests, is not collected more often.
 */
export function limitHeapGrowth(): void {
  let isLarge = false
  const check = () => {
    const wasLarge = isLarge
    isLarge = getHeapStatistics().total_heap_size > largeHeapBytes
    // 0: the default of V8.
    if (isLarge !== wasLarge) setFlagsFromString(`--heap-growing-percent=${isLarge ? 40 : 0}`)
  }
  setInterval(check, 1000).unref()
}

/**
 * Returns memory that only the start needed, about 20 MiB. V8 grows its young generation while code is loaded, and shrinks it only
 * in this kind of collection, which takes 60 ms.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
