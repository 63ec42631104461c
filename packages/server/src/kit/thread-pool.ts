import { readdir, readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'

/** The nice value of setpriority(2): a third of the processor time of the event loop while both are busy. */
export const threadPoolPriority = 5

/**
 * Gives the event loop priority over the thread pool of Node.js, which hashes passwords and decodes images. On two busy cores
 * these threads delay all other requests: under the fault `hostile` on PostgreSQL the mean of the first four seconds falls
 * from 90 to 52 ms. Only on Linux, where each thread has a priority of its own, and only if the threads have names (libuv 1.50).
 */
export async function lowerThreadPoolPriority(): Promise<void> {
  try {
    // The first asynchronous call of `fs` starts the threads.
    for (const id of await readdir('/proc/self/task')) {
      const name = await readFile(`/proc/self/task/${id}/comm`, 'utf8')
      if (name === 'libuv-worker\n') setPriority(Number(id), threadPoolPriority)
    }
  } catch {
    // Another system, or it is not permitted.
  }
}
