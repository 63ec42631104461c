import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { jobs } from './load.ts'

type Jobs = typeof jobs

/** The load generator process. */
export interface Load {
  run<Name extends keyof Jobs>(
    name: Name,
    argument: Parameters<Jobs[Name]>[0],
  ): Promise<Awaited<ReturnType<Jobs[Name]>>>
  stop(): void
}

/** A process to compare with. It listens on a port. */
export interface Peer {
  port: number
  pid: number
  /** Sends a message to the peer and resolves to its reply. Not part of the measurement. */
  ask<T>(message: unknown): Promise<T>
  stop(): void
}

export function startLoad(): Load {
  const child = start('load.ts')
  return {
    async run(name, argument) {
      const reply = await exchange<{ result?: unknown; error?: string }>(child, { name, argument })
      if (reply.error !== undefined) throw new Error(`${name}: ${reply.error}`)
      // `load.ts` returns the result of the same job.
      return reply.result as never
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

/** Sends the message, if any, and resolves to the next message from the process. */
function exchange<T>(child: ChildProcess, message?: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`))
    child.once('exit', onExit)
    child.once('message', reply => {
      child.off('exit', onExit)
      resolve(reply as T)
    })
    if (message !== undefined) child.send(message as object)
  })
}

/** Resident memory of a process in bytes. */
export function memoryOf(pid: number): number {
  return statusOf(pid, 'VmRSS')
}

/** Resident memory without mapped files, such as the database, in bytes. */
export function anonymousMemoryOf(pid: number): number {
  return statusOf(pid, 'RssAnon')
}

function statusOf(pid: number, field: 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024
}
