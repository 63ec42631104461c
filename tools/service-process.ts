import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** The service as a process of its own, as it is run: its data in a folder that goes with it, its log in a file. */
export interface ServiceProcess {
  url: string
  port: number
  folder: string
  /** Every line that it wrote, of all its runs. */
  logFile: string
  /** Undefined while it does not run. */
  pid(): number | undefined
  /** Starts it where it does not run, on the same data and port; resolves when it answers. */
  start(): Promise<void>
  /** Resolves to the exit code, null where a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** SIGTERM, SIGKILL where that does not help, and the folder is removed. */
  remove(): Promise<void>
}

interface Options {
  env?: Readonly<Record<string, string>>
  /** What stands before it, as in `prlimit --fsize=…`. */
  wrapper?: readonly string[]
  /** Where its data stands; a folder of its own unless said. */
  folder?: string
  /** `service.log` in the folder unless said. */
  logFile?: string
  port?: number
  host?: string
}

const main = join(import.meta.dirname, '../packages/server/src/main.ts')
const startLimitMs = 30_000
const endLimitMs = 15_000

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
    const log = openSync(logFile, 'a')
    const [command = '', ...args] = [...(options.wrapper ?? []), process.execPath, main, 'serve']
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
      // Keys and the outbox stand in `data/` where the database is no file.
      cwd: folder,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    // Nothing outlives who started it.
    const killed = () => started.kill('SIGKILL')
    child = started
    process.once('exit', killed)
    ended = new Promise(resolve => {
      const over = (code: number | null) => {
        process.off('exit', killed)
        if (child === started) child = undefined
        resolve(code)
      }
      started.once('exit', over)
      started.once('error', () => over(1))
    })
    const deadline = performance.now() + startLimitMs
    for (;;) {
      const answer = await fetch(`${url}/healthz`).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      if (answer?.ok) return
      if (child !== started) throw new Error(`the service ended while it started; see ${logFile}`)
      if (performance.now() > deadline) throw new Error(`the service did not start; see ${logFile}`)
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
    pid: () => child?.pid,
    start,
    end,
    async remove() {
      const late = setTimeout(() => child?.kill('SIGKILL'), endLimitMs)
      await end('SIGTERM')
      clearTimeout(late)
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

export { freePort }
