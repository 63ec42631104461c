import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sendSignal } from './signals.ts'

/** A server in its own process, with its own port and data folder. It does not outlive this process. */
export interface ServerProcess {
  url: string
  folder: string
  /** The output of all runs. */
  logFile: string
  readLog(): string
  /** Throws if the server is not running. */
  pid(): number
  /** Starts the server, if it is not running, with the same data and port. Resolves when `probe` does. */
  start(): Promise<void>
  /** Sends a signal. After SIGSTOP, resolves when the server is stopped. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** Sends a signal that ends the server. Resolves to the exit code, or null if a signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Resolves when the process exits, like `end`. */
  exited(): Promise<number | null>
  /** Stops the server, after a timeout with SIGKILL, and removes its data. */
  remove(): Promise<void>
}

interface Options {
  command: readonly string[]
  folder: string
  url: string
  /** Rejects while the server at `url` is not usable. */
  probe: (url: string) => Promise<void>
  env?: Readonly<Record<string, string>>
  /** Default: `output.log` in the folder. `inherit`: the output of this process. */
  logFile?: string | undefined
}

export const logName = 'output.log'
const startTimeoutMs = 120_000
const stopTimeoutMs = 15_000

export async function startServerProcess(options: Options): Promise<ServerProcess> {
  const { folder, url, probe, env } = options
  const [command = '', ...args] = options.command
  const logFile = options.logFile ?? join(folder, logName)
  let child: ChildProcess | undefined
  let exited: Promise<number | null> = Promise.resolve(0)

  function run(): ChildProcess {
    const log = logFile === 'inherit' ? logFile : openSync(logFile, 'a')
    const started = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    })
    if (typeof log === 'number') closeSync(log)
    const killOnExit = () => started.kill('SIGKILL')
    process.once('exit', killOnExit)
    child = started
    exited = once(started, 'exit').then(
      ([code]) => code,
      () => 1,
    )
    exited.then(() => {
      process.off('exit', killOnExit)
      if (child === started) child = undefined
    })
    return started
  }

  async function start(): Promise<void> {
    if (child) return
    const started = run()
    const deadline = performance.now() + startTimeoutMs
    for (;;) {
      const problem = await probe(url).then(
        () => undefined,
        (error: Error) => error,
      )
      if (problem === undefined) return
      const message = `${command} ${child === started ? 'did not start in time' : 'exited during its start'}`
      if (child !== started || performance.now() > deadline)
        throw new Error(`${message}. See ${logFile}`, { cause: problem })
      await wait(10)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    child?.kill(signal)
    return exited
  }

  const server: ServerProcess = {
    url,
    folder,
    logFile,
    readLog: () => readFileSync(logFile, 'utf8'),
    pid() {
      if (child?.pid === undefined) throw new Error(`${command} is not running.`)
      return child.pid
    },
    start,
    async signal(signal) {
      if (child) await sendSignal(child, signal)
    },
    end,
    exited: () => exited,
    async remove() {
      const timer = setTimeout(() => child?.kill('SIGKILL'), stopTimeoutMs)
      // A stopped process does not receive the other signal.
      child?.kill('SIGCONT')
      await end('SIGINT')
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await start().catch(async error => {
    await end('SIGKILL')
    throw error
  })
  return server
}
