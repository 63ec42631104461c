import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, type TestClient } from './client.ts'
import { freePort } from './free-port.ts'

/** The service in its own process, with a temporary data folder and a log file. */
export interface ServiceProcess {
  url: string
  port: number
  folder: string
  /** The output of all runs. */
  logFile: string
  client(): TestClient
  /** Throws if the service is not running. */
  pid(): number
  /** Starts the service, if it is not running, with the same data and port. Resolves when it is healthy. */
  start(): Promise<void>
  /** Sends a signal. Resolves to the exit code, or null if a signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Resolves when the process exits, like `end`. */
  exited(): Promise<number | null>
  /** Stops the service with SIGTERM, after a timeout with SIGKILL, and removes the folder. */
  remove(): Promise<void>
}

interface Options {
  env?: Readonly<Record<string, string>>
  /** The program. Default: the source. */
  main?: string
  /** A command that runs the service, for example `prlimit --fsize=…`. */
  wrapper?: readonly string[]
  /** The data folder. Default: a temporary folder. */
  folder?: string
  /** Default: `service.log` in the folder. `inherit`: the output of this process. */
  logFile?: string
  port?: number
  host?: string
}

const sourceMain = join(import.meta.dirname, '../../server/src/cli/main.ts')
const startTimeoutMs = 120_000
const stopTimeoutMs = 15_000
const requestTimeoutMs = 10_000

export async function startServiceProcess(options: Options = {}): Promise<ServiceProcess> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'gatehouse-process-'))
  const port = options.port ?? (await freePort())
  const host = options.host ?? '127.0.0.1'
  const url = `http://${host}:${port}`
  const logFile = options.logFile ?? join(folder, 'service.log')
  let child: ChildProcess | undefined
  let ended: Promise<number | null> = Promise.resolve(0)

  async function start(): Promise<void> {
    if (child) return
    const log = logFile === 'inherit' ? logFile : openSync(logFile, 'a')
    const program = [process.execPath, options.main ?? sourceMain, 'serve']
    const [command = '', ...args] = [...(options.wrapper ?? []), ...program]
    const started = spawn(command, args, {
      env: {
        ...process.env,
        BASE_URL: url,
        PORT: String(port),
        HOST: host,
        DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}`,
        NATS_URL: '',
        SMTP_URL: '',
        SECRET_KEY: '',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'warn',
        ...options.env,
      },
      // The service stores keys and mails in `data/` if the database is not a file.
      cwd: folder,
      stdio: ['ignore', log, log],
    })
    if (typeof log === 'number') closeSync(log)
    // The service must not outlive this process.
    const killOnExit = () => started.kill('SIGKILL')
    child = started
    process.once('exit', killOnExit)
    ended = new Promise(resolve => {
      const onExit = (code: number | null) => {
        process.off('exit', killOnExit)
        if (child === started) child = undefined
        resolve(code)
      }
      started.once('exit', onExit)
      started.once('error', () => onExit(1))
    })
    const deadline = performance.now() + startTimeoutMs
    for (;;) {
      // Without a timeout, a request that gets no response would wait 300 seconds for one, longer than the deadline.
      const signal = AbortSignal.timeout(requestTimeoutMs)
      const response = await fetch(`${url}/healthz`, { signal }).catch(() => undefined)
      await response?.arrayBuffer().catch(() => undefined)
      if (response?.ok) return
      if (child !== started) throw new Error(`The service exited during startup. See ${logFile}`)
      if (performance.now() > deadline) throw new Error(`The service did not start in time. See ${logFile}`)
      await wait(10)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    child?.kill(signal)
    return ended
  }

  const service: ServiceProcess = {
    url,
    port,
    folder,
    logFile,
    client: () => createClient(url),
    pid() {
      if (child?.pid === undefined) throw new Error('The service is not running.')
      return child.pid
    },
    start,
    end,
    exited: () => ended,
    async remove() {
      const timer = setTimeout(() => child?.kill('SIGKILL'), stopTimeoutMs)
      await end('SIGTERM')
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await start()
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
  return service
}

/**
 * The memory of a process in bytes: all that is resident, or without mapped files such as the database (`RssAnon`).
 * Linux only.
 */
export function readMemory(pid: number, field: 'VmRSS' | 'RssAnon' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024
}

/** The processor time of all threads of a process, in seconds. Linux only, where a tick of this file is 10 ms. */
export function readProcessorTime(pid: number): number {
  // The second field, the name of the program, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

export { freePort }
