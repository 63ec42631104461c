import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  appendFileSync,
  chownSync,
  closeSync,
  constants,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connectNatsBus } from '../../server/src/bus/nats/nats-bus.ts'
import { openNatsConnection } from '../../server/src/bus/nats/nats-connection.ts'
import { freePort } from './free-port.ts'
import { PostgresClient } from './postgres-client.ts'
import { sendSignal } from './signals.ts'

/** A PostgreSQL or NATS server with its own port and data folder. */
export interface LocalServer {
  url: string
  /** Starts the server again with the same port and data. Resolves when it accepts connections. */
  start(): Promise<void>
  /** Ends the server with SIGKILL. */
  kill(): Promise<void>
  /** Sends a signal to the server. After SIGSTOP, resolves when it is stopped. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** What the server has written to its output and its logs. */
  readLog(): string
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
/** The election of a leader takes up to 10 s, and longer on a busy machine. */
const clusterTimeoutMs = 120_000
const healthTimeoutMs = 2000
const logName = 'output.log'

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
  const initdb = findPostgresCommand('initdb')
  if (!initdb) return undefined
  const init = ['-A', 'trust', '-U', 'gatehouse', '-E', 'UTF8', '--locale=C', '--no-sync']
  const folder = createPostgresFolder(initdb, init)
  if (host !== loopback.host) appendFileSync(join(folder, 'data/pg_hba.conf'), 'host all all samenet trust\n')
  return runPostgres(folder, { host, wrapper }, settings)
}

/** A primary and a synchronous standby. */
export interface PostgresPair {
  /** Names both hosts. */
  url: string
  /** Ends the primary with SIGKILL. */
  kill(): Promise<void>
  /** Makes the standby the primary. */
  promote(): Promise<void>
  remove(): Promise<void>
}

/** Returns undefined if PostgreSQL or its `pg_basebackup` is not installed. */
export async function startPostgresPair(): Promise<PostgresPair | undefined> {
  const backup = findPostgresCommand('pg_basebackup')
  const primary = backup && (await startPostgres())
  if (!primary) return undefined
  const folder = createPostgresFolder(backup, ['-d', primary.url, '-R', '-c', 'fast', '--no-sync'])
  const standby = await runPostgres(folder, loopback, [])
  const client = new PostgresClient(primary.url)
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await client.query('SELECT pg_reload_conf()')
  const isSynchronous = async () =>
    (await client.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).length > 0
  while (!(await isSynchronous())) await wait(100)
  await client.close()
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join()
  return {
    url: `postgres://gatehouse@${hosts}/postgres?target_session_attrs=read-write`,
    kill: () => primary.kill(),
    async promote() {
      const promoting = new PostgresClient(standby.url)
      await promoting.query('SELECT pg_promote()')
      await promoting.close()
    },
    async remove() {
      await standby.remove()
      await primary.remove()
    },
  }
}

function findPostgresCommand(name: string): string | undefined {
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  return findCommand([bin && join(bin, name), name])
}

/** Creates a folder with the subfolder `data`, which `command` fills. */
function createPostgresFolder(command: string, args: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  const owner = findPostgresUser()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  execFileSync(command, ['-D', join(folder, 'data'), ...args], { cwd: folder, stdio: 'pipe', ...owner })
  return folder
}

async function runPostgres(
  folder: string,
  { host, wrapper }: NetworkAddress,
  settings: readonly string[],
): Promise<LocalServer> {
  const postgres = findPostgresCommand('postgres') ?? ''
  const owner = findPostgresUser()
  const port = await freePort()
  const options = ['max_connections=200', ...settings].flatMap(setting => ['-c', setting])
  // Only root can enter a namespace, so the user changes inside it.
  const command = [...wrapper, ...runAsOwner(owner), postgres]
  const addresses = ['-D', join(folder, 'data'), '-p', `${port}`, '-h', host, '-k', folder]
  const url = `postgres://gatehouse@${host}:${port}/postgres`
  return startServer([...command, ...addresses, ...options], folder, url, probePostgres)
}

/** Starts PgBouncer before the server of `url`. Returns undefined if it is not installed. */
export async function startPgBouncer(
  url: string,
  poolMode: 'session' | 'transaction',
): Promise<LocalServer | undefined> {
  const pgbouncer = findCommand(['pgbouncer'])
  if (!pgbouncer) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'))
  const { hostname, port: serverPort, username, password, pathname } = new URL(url)
  const port = await freePort()
  const login = `user=${username}${password === '' ? '' : ` password=${password}`}`
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${serverPort || 5432} ${login}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${poolMode}\n`,
  )
  const owner = findPostgresUser()
  for (const path of owner ? [folder, join(folder, 'pgbouncer.ini')] : [])
    chownSync(path, owner?.uid ?? 0, owner?.gid ?? 0)
  const command = [...runAsOwner(owner), pgbouncer, 'pgbouncer.ini']
  // The client of the testkit sends a parameter that PgBouncer rejects.
  return startServer(command, folder, `postgres://${username}@127.0.0.1:${port}${pathname}`, () =>
    probeTcp(port),
  )
}

/**
 * Starts HAProxy with a configuration that reads its addresses from environment variables. Resolves when it listens on
 * `port`. Returns undefined if it is not installed.
 */
export async function startHaproxy(
  configuration: string,
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<LocalServer | undefined> {
  const haproxy = findCommand(['haproxy'])
  if (!haproxy) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-haproxy-'))
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const command = ['env', ...assignments, haproxy, '-db', '-f', configuration]
  return startServer(command, folder, `http://127.0.0.1:${port}`, () => probeTcp(port))
}

/**
 * Starts nginx with the text of a configuration for `conf.d`. The ports replace its own one and those of the nodes, in
 * order. It logs what nginx logs by default. Resolves when it listens on `port`. Returns undefined if it is not
 * installed.
 */
export async function startNginx(
  configuration: string,
  port: number,
  nodePorts: readonly number[],
): Promise<LocalServer | undefined> {
  const nginx = findCommand(['nginx'])
  if (!nginx) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'))
  const ports = nodePorts.values()
  const text = configuration
    .replace(/listen .*;/, `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*$/gm, '')
    .replaceAll(/server [\d.]+:3000/g, () => `server 127.0.0.1:${ports.next().value}`)
  writeFileSync(join(folder, 'gatehouse.conf'), text)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${name};`)
  // In one process, so that it runs as the user of the test.
  const main = `daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
    http { access_log ${logName}; ${paths.join(' ')} include gatehouse.conf; }`
  writeFileSync(join(folder, 'nginx.conf'), main)
  const command = [nginx, '-p', folder, '-e', 'stderr', '-c', 'nginx.conf']
  return startServer(command, folder, `http://127.0.0.1:${port}`, () => probeTcp(port))
}

async function probeTcp(port: number): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return undefined
  } catch {
    return 'it does not listen'
  } finally {
    socket.destroy()
  }
}

/** Starts Caddy with a configuration that reads DOMAIN and NODES. Returns undefined if it is not installed. */
export async function startCaddy(
  configuration: string,
  port: number,
  nodePorts: readonly number[],
): Promise<LocalServer | undefined> {
  const caddy = findCommand(['caddy'])
  if (!caddy) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-caddy-'))
  const nodes = nodePorts.map(nodePort => `127.0.0.1:${nodePort}`).join(' ')
  const env = [`DOMAIN=http://127.0.0.1:${port}`, `NODES=${nodes}`, `HOME=${folder}`]
  const command = ['env', ...env, caddy, 'run', '--config', configuration, '--adapter', 'caddyfile']
  return startServer(command, folder, `http://127.0.0.1:${port}`, () => probeTcp(port))
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

/** A NATS server of a cluster. */
export interface NatsClusterServer extends LocalServer {
  /** The health endpoint of the server. It returns 200 when the server has the data of all its streams. */
  healthUrl: string
}

/**
 * Starts three NATS servers of one cluster with JetStream. Resolves when it stores data. Returns undefined if NATS is
 * not installed.
 */
export async function startNatsCluster(): Promise<
  { servers: NatsClusterServer[]; remove(): Promise<void> } | undefined
> {
  const nats = findCommand(['nats-server'])
  if (!nats) return undefined
  const members: { name: string; port: number; monitorPort: number; route: string }[] = []
  for (const name of ['a', 'b', 'c']) {
    const [port, monitorPort, routePort] = [await freePort(), await freePort(), await freePort()]
    members.push({ name, port, monitorPort, route: `nats://127.0.0.1:${routePort}` })
  }
  const routes = members.map(({ route }) => route).join()
  const servers = await Promise.all(
    members.map(async ({ name, port, monitorPort, route }) => {
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nats-'))
      const cluster = ['--cluster_name', 'test', '--cluster', route, '--routes', routes]
      const ports = ['-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitorPort}`]
      const command = [nats, '-js', '-sd', folder, ...ports, '-n', name, ...cluster]
      const server = await startServer(command, folder, `nats://127.0.0.1:${port}`, probeNats)
      return { ...server, healthUrl: `http://127.0.0.1:${monitorPort}/healthz` }
    }),
  )
  await waitForCluster(servers)
  return { servers, remove: async () => void (await Promise.all(servers.map(server => server.remove()))) }
}

/**
 * Waits until the cluster can create a bucket and each server has the data of all its streams. A cluster of three loses
 * no data if one server fails, but a restarted server has no data in memory at first. The leader of a stream still
 * reports it as current, so only the server itself can tell.
 */
export async function waitForCluster(servers: readonly NatsClusterServer[]): Promise<void> {
  const url = servers.map(server => server.url).join()
  const deadline = performance.now() + clusterTimeoutMs
  for (;;) {
    try {
      await (await connectNatsBus(url, { prefix: 'probe' })).close()
      const responses = await Promise.all(
        servers.map(server => fetch(server.healthUrl, { signal: AbortSignal.timeout(healthTimeoutMs) })),
      )
      const bodies = await Promise.all(responses.map(response => response.text()))
      if (responses.every(response => response.ok)) return
      if (performance.now() > deadline) throw new Error(`the NATS cluster is not in sync: ${bodies.join()}`)
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await wait(200)
  }
}

async function startServer(
  [command = '', ...args]: readonly string[],
  folder: string,
  url: string,
  probe: Probe,
): Promise<LocalServer> {
  let child: ChildProcess
  let exited: Promise<unknown>
  const log = join(folder, logName)

  function run(): void {
    const output = openSync(log, 'a')
    const started = spawn(command, args, { cwd: folder, stdio: ['ignore', output, output] })
    closeSync(output)
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
    signal: signal => sendSignal(child, signal),
    readLog: () => readFileSync(log, 'utf8'),
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

function runAsOwner(owner: { uid: number; gid: number } | undefined): string[] {
  return owner ? ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'] : []
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
