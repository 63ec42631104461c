import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Makes V8 collect the old generation when it has grown by 60 %. By default it may become four times as large first, so that
 * a burst of large requests would take up to 140 MiB more.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=60')
}

/**
 * Returns memory that only the start needed, about 20 MiB. V8 grows its young generation while code is loaded, and shrinks it only
 * in this kind of collection, which takes 60 ms.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
