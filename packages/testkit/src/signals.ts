import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { waitUntil } from './wait-until.ts'

/**
 * Sends a signal. After SIGSTOP, it waits until all threads are stopped: `kill` returns before, and a thread on another
 * core could respond to a request.
 */
export async function sendSignal({ pid }: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (pid === undefined) return
  process.kill(pid, signal)
  if (signal === 'SIGSTOP' && existsSync(`/proc/${pid}/task`)) await waitUntil(() => isStopped(pid))
}

function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every(thread => {
    // The second field, the name of the program, may contain spaces.
    const [, fields = ''] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')
    return fields.startsWith('T')
  })
}
