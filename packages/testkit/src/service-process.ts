import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type TestClient } from './client.ts'
import { freePort } from './free-port.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** The service in its own process. */
export interface ServiceProcess extends ServerProcess {
  port: number
  client(): TestClient
}

interface Options {
  env?: Readonly<Record<string, string>>
  /** The program. Default: the source. */
  main?: string
  /** A command that runs the service, for example `prlimit --fsize=…`. */
  wrapper?: readonly string[]
  /** The data folder. Default: a temporary folder. */
  folder?: string
  /** Default: `output.log` in the folder. `inherit`: the output of this process. */
  logFile?: string
  port?: number
  host?: string
}

const sourceMain = join(import.meta.dirname, '../../server/src/cli/main.ts')
const requestTimeoutMs = 10_000

export async function startServiceProcess(options: Options = {}): Promise<ServiceProcess> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'gatehouse-process-'))
  const port = options.port ?? (await freePort())
  const host = options.host ?? '127.0.0.1'
  const url = `http://${host}:${port}`
  const server = await startServerProcess({
    command: [...(options.wrapper ?? []), process.execPath, options.main ?? sourceMain, 'serve'],
    // The service stores keys and mails in `data/` if the database is not a file.
    folder,
    url,
    probe: assertHealthy,
    logFile: options.logFile,
    env: {
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
  })
  return { ...server, port, client: () => createClient(url) }
}

async function assertHealthy(url: string): Promise<void> {
  // Without a timeout, a request that gets no response would wait 300 seconds for one, longer than the start may take.
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(requestTimeoutMs) })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`/healthz returned ${response.status}`)
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
