import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@gatehouse/testkit/free-port'
import { findCommand, probeNats, probePostgres } from './probe.ts'

/** A server that was started for one run, with its own port and data folder. */
export interface StartedServer {
  url: string
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
}

const startTimeoutMs = 20_000

/** Returns undefined if PostgreSQL is not installed. */
export async function startPostgres(): Promise<StartedServer | undefined> {
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  const server = findCommand([bin && join(bin, 'postgres'), 'postgres'])
  const initdb = findCommand([bin && join(bin, 'initdb'), 'initdb'])
  if (!server || !initdb) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  const user = postgresUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const superuser = 'gatehouse'
  execFileSync(
    initdb,
    ['-D', data, '-A', 'trust', '-U', superuser, '-E', 'UTF8', '--locale=C', '--no-sync'],
    {
      cwd: folder,
      stdio: 'pipe',
      ...user,
    },
  )
  const port = await freePort()
  // The data is not needed after the run, so nothing is flushed to disk.
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200']
  const child = spawn(
    server,
    [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      folder,
      ...settings.flatMap(text => ['-c', text]),
    ],
    { cwd: folder, stdio: 'ignore', ...user },
  )
  const url = `postgres://${superuser}@127.0.0.1:${port}/postgres`
  return whenReady(child, folder, 'SIGINT', url, () => probePostgres(url))
}

/** Starts NATS with JetStream. Returns undefined if it is not installed. */
export async function startNats(): Promise<StartedServer | undefined> {
  const server = findCommand(['nats-server'])
  if (!server) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nats-'))
  const port = await freePort()
  const child = spawn(server, ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
  })
  const url = `nats://127.0.0.1:${port}`
  return whenReady(child, folder, 'SIGTERM', url, () => probeNats(url))
}

/** PostgreSQL refuses to run as root. If this process is root, the system user `postgres` runs it. */
function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function whenReady(
  child: ChildProcess,
  folder: string,
  signal: NodeJS.Signals,
  url: string,
  probe: () => Promise<string | undefined>,
): Promise<StartedServer> {
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  async function stop(): Promise<void> {
    child.kill(signal)
    await Promise.race([ended, wait(5000, undefined, { ref: false })])
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  const deadline = performance.now() + startTimeoutMs
  let problem = await probe()
  while (problem !== undefined && performance.now() < deadline && child.exitCode === null) {
    await wait(100)
    problem = await probe()
  }
  if (problem === undefined) return { url, stop }
  await stop()
  throw new Error(`${child.spawnfile} did not start: ${problem}`)
}
