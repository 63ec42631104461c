import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, globSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { connectNatsBus } from '../../server/src/bus/nats/nats-bus.ts'
import { openNatsConnection } from '../../server/src/bus/nats/nats-connection.ts'
import { freePort } from './free-port.ts'
import { PostgresClient } from './postgres-client.ts'
import { logName, type ServerProcess, startServerProcess } from './server-process.ts'
import { retry } from './wait-until.ts'

/** Undefined if it is not installed. */
type Started = Promise<ServerProcess | undefined>

const loopback = '127.0.0.1'
const startTimeoutMs = 20_000
/** The election of a leader takes up to 10 s, and longer on a busy machine. */
const clusterTimeoutMs = 120_000

/** Rejects unless the user of `url` can create databases. */
export async function probePostgres(url: string): Promise<void> {
  const client = new PostgresClient(url)
  const sql = 'SELECT rolcreatedb OR rolsuper AS can_create FROM pg_roles WHERE rolname = current_user'
  const [role] = await client.query(sql).finally(() => client.close())
  assert.ok(role?.can_create, 'its user cannot create databases')
}

/** Rejects unless the server at `url` has JetStream. */
export async function probeNats(url: string): Promise<void> {
  const connection = await openNatsConnection(url, 1000)
  const { jetstream } = connection.info ?? {}
  await connection.close()
  assert.ok(jetstream, 'JetStream is not enabled')
}

async function probeTcp(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.destroy()
}

/** Starts PostgreSQL with an empty data folder. */
export function startPostgres(host = loopback, settings: readonly string[] = []): Started {
  const init = ['-A', 'trust', '-U', 'gatehouse', '-E', 'UTF8', '--locale=C', '--no-sync']
  return runPostgres(['initdb', ...init], host, settings)
}

/** Starts a primary and a synchronous standby. `url` names both. */
export async function startPostgresPair() {
  const primary = await startPostgres()
  if (!primary) return undefined
  const standby = await runPostgres(['pg_basebackup', '-d', primary.url, '-R', '-c', 'fast', '--no-sync'])
  if (!standby) return void (await primary.remove())
  const client = new PostgresClient(primary.url)
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await client.query('SELECT pg_reload_conf()')
  await retry(startTimeoutMs, async () => {
    const synchronous = await client.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
    assert.equal(synchronous.length, 1, 'the standby is not synchronous')
  })
  await client.close()
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join()
  return {
    url: `postgres://gatehouse@${hosts}/postgres?target_session_attrs=read-write`,
    /** Ends the primary with SIGKILL. */
    kill: () => primary.end('SIGKILL'),
    /** Makes the standby the primary. */
    async promote() {
      const promoting = new PostgresClient(standby.url)
      await promoting.query('SELECT pg_promote()')
      await promoting.close()
    },
    readLog: () => primary.readLog() + standby.readLog(),
    async remove() {
      await standby.remove()
      await primary.remove()
    },
  }
}

/** Runs PostgreSQL with the data that a command creates in the folder of its option `-D`. */
async function runPostgres(
  [name = '', ...args]: readonly string[],
  host = loopback,
  settings: readonly string[] = [],
): Started {
  const create = findCommand([name])
  const postgres = findCommand(['postgres'])
  if (!create || !postgres) return undefined
  const folder = createFolder('postgres')
  giveToPostgres(folder)
  const data = join(folder, 'data')
  const [command = '', ...options] = [...asPostgres, create, '-D', data, ...args]
  execFileSync(command, options, { cwd: folder, stdio: 'pipe' })
  if (host !== loopback) appendFileSync(join(data, 'pg_hba.conf'), `host all all ${host}/24 trust\n`)
  const port = await freePort()
  const settingOptions = ['max_connections=200', ...settings].flatMap(setting => ['-c', setting])
  const server = await startServerProcess({
    command: [
      ...asPostgres,
      postgres,
      '-D',
      data,
      '-p',
      `${port}`,
      '-h',
      host,
      '-k',
      folder,
      ...settingOptions,
    ],
    folder,
    url: `postgres://gatehouse@${host}:${port}/postgres`,
    probe: probePostgres,
  })
  // After a kill, the start can fail until the worker processes have exited.
  return { ...server, start: () => retry(startTimeoutMs, server.start) }
}

/** Starts PgBouncer before the server of `url`. */
export async function startPgBouncer(url: string, poolMode: 'session' | 'transaction'): Started {
  const { hostname, port: serverPort, username, password, pathname } = new URL(url)
  const port = await freePort()
  const login = `user=${username}${password === '' ? '' : ` password=${password}`}`
  const database = `[databases]\n* = host=${hostname} port=${serverPort || 5432} ${login}\n[pgbouncer]\n`
  const address = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n`
  // The client of the testkit sends a parameter that PgBouncer rejects, so its port is probed.
  const poolerUrl = `postgres://${username}@127.0.0.1:${port}${pathname}`
  return startProgram('pgbouncer', poolerUrl, (program, folder) => {
    const file = join(folder, 'pgbouncer.ini')
    writeFileSync(file, `${database}${address}auth_type = any\npool_mode = ${poolMode}\n`)
    giveToPostgres(folder, file)
    return [...asPostgres, program, file]
  })
}

/** Starts HAProxy with a configuration that reads its addresses from environment variables. It listens on `port`. */
export function startHaproxy(
  configuration: string,
  port: number,
  env: Readonly<Record<string, string>>,
): Started {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return startProgram('haproxy', `http://127.0.0.1:${port}`, program => [
    ...['env', ...assignments],
    ...[program, '-db', '-f', configuration],
  ])
}

/**
 * Starts nginx with the text of a configuration for `conf.d`. The ports replace its own one and those of the
 * nodes, in order. It logs what nginx logs by default.
 */
export function startNginx(configuration: string, port: number, nodePorts: readonly number[]): Started {
  const ports = nodePorts.values()
  const text = configuration
    .replace(/listen .*;/, `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*$/gm, '')
    .replaceAll(/server [\d.]+:3000/g, () => `server 127.0.0.1:${ports.next().value}`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${name};`)
  // In one process, so that it runs as the user of the test.
  const main = `daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
    http { access_log ${logName}; ${paths.join(' ')} include gatehouse.conf; }`
  return startProgram('nginx', `http://127.0.0.1:${port}`, (program, folder) => {
    writeFileSync(join(folder, 'gatehouse.conf'), text)
    writeFileSync(join(folder, 'nginx.conf'), main)
    return [program, '-p', folder, '-e', 'stderr', '-c', 'nginx.conf']
  })
}

/** Starts Caddy with a configuration that reads DOMAIN and NODES. */
export function startCaddy(configuration: string, port: number, nodePorts: readonly number[]): Started {
  const url = `http://127.0.0.1:${port}`
  const nodes = nodePorts.map(nodePort => `127.0.0.1:${nodePort}`).join(' ')
  return startProgram('caddy', url, (program, folder) => [
    ...['env', `DOMAIN=${url}`, `NODES=${nodes}`, `HOME=${folder}`],
    ...[program, 'run', '--config', configuration, '--adapter', 'caddyfile'],
  ])
}

/** Starts NATS with JetStream. */
export async function startNats(host = loopback, options: readonly string[] = []): Started {
  const url = `nats://${host}:${await freePort()}`
  const command = (program: string, folder: string) => [
    ...[program, '-js', '-sd', folder],
    ...['-a', host, '-p', new URL(url).port, ...options],
  ]
  return startProgram('nats-server', url, command, probeNats)
}

/** A NATS server of a cluster. Its health endpoint returns 200 when the server has the data of all its streams. */
export type NatsClusterServer = ServerProcess & { healthUrl: string }

/** Starts three NATS servers of one cluster with JetStream. Resolves when it stores data. */
export async function startNatsCluster() {
  const routes: string[] = []
  for (const _ of 'abc') routes.push(`nats://127.0.0.1:${await freePort()}`)
  const started = await Promise.all(
    routes.map(async (route, n) => {
      const monitorPort = await freePort()
      const cluster = ['--cluster_name', 'test', '--cluster', route, '--routes', routes.join()]
      const server = await startNats(loopback, ['-m', `${monitorPort}`, '-n', `server-${n}`, ...cluster])
      return server && { ...server, healthUrl: `http://127.0.0.1:${monitorPort}/healthz` }
    }),
  )
  const servers = started.filter(server => server !== undefined)
  if (servers.length < routes.length) return undefined
  await waitForCluster(servers)
  return {
    servers,
    readLog: () => servers.map(server => server.readLog()).join(''),
    remove: async () => void (await Promise.all(servers.map(server => server.remove()))),
  }
}

/**
 * Waits until the cluster can create a bucket and each server has the data of all its streams. A cluster of three
 * loses no data if one server fails, but a restarted server has no data in memory at first. The leader of a stream
 * still reports it as current, so only the server itself can tell.
 */
export async function waitForCluster(servers: readonly NatsClusterServer[]): Promise<void> {
  const url = servers.map(server => server.url).join()
  await retry(clusterTimeoutMs, async () => {
    await (await connectNatsBus(url, { prefix: 'probe' })).close()
    for (const { healthUrl } of servers) {
      const response = await fetch(healthUrl, { signal: AbortSignal.timeout(2000) })
      assert.ok(response.ok, `the NATS cluster is not in sync: ${await response.text()}`)
    }
  })
}

/** Starts a program whose command line `createCommand` returns, after it has written its files to the folder. */
async function startProgram(
  name: string,
  url: string,
  createCommand: (program: string, folder: string) => readonly string[],
  probe = probeTcp,
): Started {
  const program = findCommand([name])
  if (!program) return undefined
  const folder = createFolder(name)
  return startServerProcess({ command: createCommand(program, folder), folder, url, probe })
}

function createFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `gatehouse-${name}-`))
}

/** PostgreSQL and PgBouncer refuse to run as root. If this process is root, the system user `postgres` runs them. */
const asPostgres =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []

function giveToPostgres(...paths: readonly string[]): void {
  if (asPostgres.length > 0) execFileSync('chown', ['postgres:postgres', ...paths])
}

/** Returns the path of the first program that exists. `names` are paths or names in PATH or the newest PostgreSQL. */
export function findCommand(names: readonly (string | undefined)[]): string | undefined {
  const postgres = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed()
  const folders = [...postgres, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return names
    .filter(name => name !== undefined)
    .flatMap(name => (name.includes('/') ? [name] : folders.map(folder => join(folder, name))))
    .find(path => existsSync(path))
}
