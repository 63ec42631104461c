import crypto from 'node:crypto'
import { promisify } from 'node:util'
import type { Argon2 } from './argon2-worker.ts'

/** Argon2id (RFC 9106) outside the main thread: in Node.js since 24.7, before that in WebAssembly. */
export function createArgon2(): Argon2 {
  // The types are those of a newer Node.js.
  if ('argon2' in crypto) {
    const argon2 = promisify(crypto.argon2)
    return input => argon2('argon2id', { ...input, parallelism: 1 })
  }
  let worker: Promise<Argon2> | undefined
  return async input => {
    worker ??= import('./argon2-worker.ts').then(({ startWorker }) => startWorker())
    return (await worker)(input)
  }
}
