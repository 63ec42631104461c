import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { argon2id } from 'hash-wasm'

/** `memory` is in KiB. The version is 1.3 and the parallelism 1. */
interface Argon2Input {
  message: Uint8Array
  nonce: Uint8Array
  tagLength: number
  memory: number
  passes: number
}

export type Argon2 = (input: Argon2Input) => Promise<Uint8Array>

type Output = { tag: Uint8Array } | { error: unknown }

/**
 * Starts this file as a worker, which computes one hash after the other. It does not keep the process alive. A worker that fails
 * rejects the hashes that it was to compute, and the next one starts another.
 */
export function startWorker(): Argon2 {
  const waiting: PromiseWithResolvers<Uint8Array>[] = []
  let worker: Worker | undefined

  function start(): Worker {
    // Not `import.meta.url`, which in the bundle is the URL of the source file.
    const started = new Worker(import.meta.filename)
    started.on('message', (output: Output) => {
      const next = waiting.shift()
      if ('tag' in output) next?.resolve(output.tag)
      else next?.reject(output.error)
      if (waiting.length === 0) started.unref()
    })
    let cause: unknown
    started.on('error', error => {
      cause = error
    })
    started.on('exit', () => {
      worker = undefined
      for (const next of waiting.splice(0)) next.reject(new Error('the worker for Argon2 ended', { cause }))
    })
    return started
  }

  return input => {
    worker ??= start()
    const next = Promise.withResolvers<Uint8Array>()
    waiting.push(next)
    worker.ref()
    worker.postMessage(input)
    return next.promise
  }
}

async function compute({ message, nonce, tagLength, memory, passes }: Argon2Input): Promise<Output> {
  try {
    const tag = await argon2id({
      // The library rejects an empty password. This one is no password either.
      password: message.length > 0 ? message : new Uint8Array(1),
      salt: nonce,
      parallelism: 1,
      iterations: passes,
      memorySize: memory,
      hashLength: tagLength,
      outputType: 'binary',
    })
    return { tag }
  } catch (error) {
    return { error }
  }
}

if (!isMainThread) {
  let computed: Promise<unknown> = Promise.resolve()
  parentPort?.on('message', (input: Argon2Input) => {
    computed = computed.then(async () => parentPort?.postMessage(await compute(input)))
  })
}
