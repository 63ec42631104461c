import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

/** A process to compare with. It listens on a port. */
export interface Peer {
  port: number
  pid: number
  /** Sends a message to the peer and resolves to its reply. Not part of the measurement. */
  ask<T>(message: unknown): Promise<T>
  stop(): void
}

export async function startPeer(file: string, ...args: string[]): Promise<Peer> {
  const child = fork(join(import.meta.dirname, 'peers', file), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const { port } = await exchange<{ port: number }>(child)
  return {
    port,
    pid: child.pid ?? 0,
    ask: message => exchange(child, message),
    stop: () => child.kill('SIGKILL'),
  }
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
