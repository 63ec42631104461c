import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@gatehouse/testkit/service-process'
import { findCommand, probeNats, probePostgres } from '../services/probe.ts'

/** A server for one trial. It can be killed and restarted on the same port with the same data. */
export interface Server {
  url: string
  kill(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

interface Command {
  command: string
  args: string[]
  url: string
  folder: string
  owner?: { uid: number; gid: number } | undefined
  fault: (url: string) => Promise<string | undefined>
}

const startLimitMs = 20_000

/** The network of a server: loopback, or an IP address in a network namespace that `wrapper` enters. */
export interface Place {
  host: string
  wrapper: readonly string[]
}

const loopback: Place = { host: '127.0.0.1', wrapper: [] }

/** Returns undefined if it is not installed. */
export async function startOwnPostgres({ host, wrapper }: Place = loopback): Promise<Server | undefined> {
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  const command = findCommand([bin && join(bin, 'postgres'), 'postgres'])
  const initdb = findCommand([bin && join(bin, 'initdb'), 'initdb'])
  if (!command || !initdb) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  const owner = findPostgresUser()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const init = ['-D', data, '-A', 'trust', '-U', 'gatehouse', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(initdb, init, { cwd: folder, stdio: 'pipe', ...owner })
  const port = await freePort()
  const url = `postgres://gatehouse@${host}:${port}/postgres`
  if (host !== loopback.host) appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet trust\n')
  const args = ['-D', data, '-p', String(port), '-h', host, '-k', folder, '-c', 'max_connections=50']
  const fault = probePostgres
  // Only root can enter a namespace, so the user is changed inside it.
  if (wrapper.length === 0 || !owner) return startServer({ command, args, url, folder, owner, fault })
  const asOwner = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', command]
  const [first = '', ...rest] = [...wrapper, ...asOwner, ...args]
  return startServer({ command: first, args: rest, url, folder, fault })
}

/** Returns undefined if it is not installed. */
export async function startOwnNats({ host, wrapper }: Place = loopback): Promise<Server | undefined> {
  const command = findCommand(['nats-server'])
  if (!command) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nats-'))
  const port = await freePort()
  const url = `nats://${host}:${port}`
  const [first = '', ...args] = [...wrapper, command, '-js', '-sd', folder, '-a', host, '-p', String(port)]
  return startServer({ command: first, args, url, folder, fault: probeNats })
}

async function startServer({ command, args, url, folder, owner, fault }: Command): Promise<Server> {
  let child: ChildProcess | undefined

  async function kill(): Promise<void> {
    const running = child
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise(resolve => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }

  async function start(): Promise<void> {
    const deadline = performance.now() + startLimitMs
    child = spawn(command, args, { cwd: folder, stdio: 'ignore', ...owner })
    for (;;) {
      const last = await fault(url)
      if (last === undefined) return
      if (performance.now() > deadline) throw new Error(`${command} did not start: ${last}`)
      // After a kill, the start can fail until the worker processes of PostgreSQL have exited.
      if (child.exitCode !== null) child = spawn(command, args, { cwd: folder, stdio: 'ignore', ...owner })
      await wait(100)
    }
  }

  await start()
  return {
    url,
    kill,
    start,
    async remove() {
      await kill()
      await wait(200)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** PostgreSQL refuses to run as root. Root uses the `postgres` user that the package created. */
function findPostgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
