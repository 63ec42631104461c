import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const minHeapLimit = 144 * 1024 * 1024
const maxGrowth = 1.4

/**
 * Once a second, collects the heap if it is larger than 144 MiB and has grown by 40 %. By default V8 lets it grow to
 * about three times what is in use, so that large requests of one account would raise the memory by up to 140 MiB more.
 * A collection takes 20 to 50 ms, and the heap of usual requests rarely becomes that large.
 */
export function limitHeapGrowth(): void {
  let limit = minHeapLimit
  const check = () => {
    if (readHeapSize() <= limit) return
    collectGarbage()
    limit = Math.max(minHeapLimit, maxGrowth * readHeapSize())
  }
  setInterval(check, 1000).unref()
}

/** With buffers, in bytes. */
function readHeapSize(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

/**
 * Sets whether V8 may enlarge the young generation of the heap. It must not while the service loads: nearly all that
 * loads stays in memory, and a young generation that has grown takes 15 MiB, also when idle.
 */
export function setYoungGenerationGrowth(mayGrow: boolean): void {
  // 2: the default of V8.
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
}

/**
 * Switches off pretenuring: if most objects that the same place in the code allocates survive collections, V8 allocates
 * the next ones in the old generation. After the start nearly all survive, because the young generation is small and
 * many requests are in flight. From then on a part of each request would be in the old generation, where a collection
 * takes longer.
 */
export function allocateInYoungGeneration(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
