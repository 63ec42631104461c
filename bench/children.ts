import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { jobs } from './load.ts'

type Jobs = typeof jobs

/** The second process. */
export interface Load {
  run<Name extends keyof Jobs>(
    name: Name,
    argument: Parameters<Jobs[Name]>[0],
  ): Promise<Awaited<ReturnType<Jobs[Name]>>>
  stop(): void
}

/** Something to compare with: a process that listens on a port. */
export interface Peer {
  port: number
  pid: number
  /** Something that it does for the measurement, outside what is measured. */
  ask<T>(message: unknown): Promise<T>
  stop(): void
}

export function startLoad(): Load {
  const child = start('load.ts')
  return {
    async run(name, argument) {
      const answer = await exchange<{ result?: unknown; error?: string }>(child, { name, argument })
      if (answer.error !== undefined) throw new Error(`${name}: ${answer.error}`)
      // The other end is `jobs` itself.
      return answer.result as never
    },
    stop: () => child.kill(),
  }
}

export async function startPeer(file: string, ...args: string[]): Promise<Peer> {
  const child = start(join('peers', file), ...args)
  const { port } = await exchange<{ port: number }>(child)
  return {
    port,
    pid: child.pid ?? 0,
    ask: message => exchange(child, message),
    stop: () => child.kill('SIGKILL'),
  }
}

function start(file: string, ...args: string[]): ChildProcess {
  return fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

/** Sends, where there is something to send, and takes the next message. */
function exchange<T>(child: ChildProcess, message?: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`))
    child.once('exit', ended)
    child.once('message', answer => {
      child.off('exit', ended)
      resolve(answer as T)
    })
    if (message !== undefined) child.send(message as object)
  })
}

/** Resident memory of a process in bytes. */
export function memoryOf(pid: number): number {
  return statusOf(pid, 'VmRSS')
}

/** Without what is mapped of files: the database is. */
export function anonymousMemoryOf(pid: number): number {
  return statusOf(pid, 'RssAnon')
}

function statusOf(pid: number, field: 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024
}
