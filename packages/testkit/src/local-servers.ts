import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { accessSync, appendFileSync, chownSync, constants, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openNatsConnection } from '../../server/src/bus/nats-connection.ts'
import { freePort } from './free-port.ts'
import { PostgresClient } from './postgres-client.ts'

/** A PostgreSQL or NATS server with its own port and data folder. */
export interface LocalServer {
  url: string
  /** Starts the server again with the same port and data. Resolves when it accepts connections. */
  start(): Promise<void>
  /** Ends the server with SIGKILL. */
  kill(): Promise<void>
  /** Sends a signal to the server, for example SIGSTOP. */
  signal(signal: NodeJS.Signals): void
  /** Stops the server and removes its data. */
  remove(): Promise<void>
}

/** The address that a server listens on, and the command that enters its network namespace. */
export interface NetworkAddress {
  host: string
  wrapper: readonly string[]
}

type Probe = (url: string) => Promise<string | undefined>

const loopback: NetworkAddress = { host: '127.0.0.1', wrapper: [] }
const startTimeoutMs = 20_000
const stopTimeoutMs = 5_000

/** Returns why PostgreSQL at `url` is not usable, or undefined if its user can create databases. */
export async function probePostgres(url: string): Promise<string | undefined> {
  const client = new PostgresClient(url)
  try {
    const [role] = await client.query(
      'SELECT rolcreatedb OR rolsuper AS can_create FROM pg_roles WHERE rolname = current_user',
    )
    return role?.can_create ? undefined : 'its user cannot create databases'
  } catch (error) {
    return describeError(error)
  } finally {
    await client.close()
  }
}

/** Returns why NATS at `url` is not usable, or undefined if it has JetStream. */
export async function probeNats(url: string): Promise<string | undefined> {
  try {
    const connection = await openNatsConnection(url, 1000)
    const { jetstream } = connection.info ?? {}
    await connection.close()
    return jetstream ? undefined : 'JetStream is not enabled'
  } catch (error) {
    return describeError(error)
  }
}

/** Starts PostgreSQL with an empty data folder. Returns undefined if it is not installed. */
export async function startPostgres(
  { host, wrapper } = loopback,
  settings: readonly string[] = [],
): Promise<LocalServer | undefined> {
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  const postgres = findCommand([bin && join(bin, 'postgres'), 'postgres'])
  const initdb = findCommand([bin && join(bin, 'initdb'), 'initdb'])
  if (!postgres || !initdb) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  const data = join(folder, 'data')
  const owner = findPostgresUser()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const init = ['-D', data, '-A', 'trust', '-U', 'gatehouse', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(initdb, init, { cwd: folder, stdio: 'pipe', ...owner })
  if (host !== loopback.host) appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet trust\n')
  const port = await freePort()
  const options = ['max_connections=200', ...settings].flatMap(setting => ['-c', setting])
  const asOwner = owner ? ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : []
  // Only root can enter a namespace, so the user changes inside it.
  const command = [...wrapper, ...asOwner, postgres, '-D', data, '-p', `${port}`, '-h', host, '-k', folder]
  const url = `postgres://gatehouse@${host}:${port}/postgres`
  return startServer([...command, ...options], folder, url, probePostgres)
}

/** Starts NATS with JetStream. Returns undefined if it is not installed. */
export async function startNats({ host, wrapper } = loopback): Promise<LocalServer | undefined> {
  const nats = findCommand(['nats-server'])
  if (!nats) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nats-'))
  const port = await freePort()
  const command = [...wrapper, nats, '-js', '-sd', folder, '-a', host, '-p', `${port}`]
  return startServer(command, folder, `nats://${host}:${port}`, probeNats)
}

async function startServer(
  [command = '', ...args]: readonly string[],
  folder: string,
  url: string,
  probe: Probe,
): Promise<LocalServer> {
  let child: ChildProcess
  let exited: Promise<unknown>

  function run(): void {
    const started = spawn(command, args, { cwd: folder, stdio: 'ignore' })
    const killOnExit = () => started.kill('SIGKILL')
    process.once('exit', killOnExit)
    child = started
    exited = new Promise<void>(resolve => started.once('exit', () => resolve()))
    started.once('exit', () => process.off('exit', killOnExit))
  }

  const server: LocalServer = {
    url,
    async start() {
      run()
      const deadline = performance.now() + startTimeoutMs
      for (;;) {
        const problem = await probe(url)
        if (problem === undefined) return
        if (performance.now() > deadline) throw new Error(`${command} did not start: ${problem}`)
        // After a kill, the start can fail until the worker processes of PostgreSQL have exited.
        if (child.exitCode !== null) run()
        await wait(100)
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    signal: signal => void child.kill(signal),
    async remove() {
      // A stopped process does not receive the other signal.
      child.kill('SIGCONT')
      child.kill('SIGINT')
      await Promise.race([exited, wait(stopTimeoutMs, undefined, { ref: false })])
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await server.start().catch(async error => {
    await server.remove()
    throw error
  })
  return server
}

/** PostgreSQL refuses to run as root. If this process is root, the system user `postgres` runs it. */
function findPostgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Returns the path of the first executable. `names` are paths or names in PATH. */
export function findCommand(names: readonly (string | undefined)[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return names
    .filter(name => name !== undefined)
    .flatMap(name => (name.includes('/') ? [name] : folders.map(folder => join(folder, name))))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Includes the cause, which has the system error. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : describeError(error.cause)
}
