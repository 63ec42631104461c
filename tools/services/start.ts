import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { findCommand, natsFault, postgresFault } from './probe.ts'

/** A service that was started for one run, on a port and in a folder of its own. */
export interface Started {
  url: string
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

const startLimitMs = 20_000

/** A PostgreSQL for this run, or undefined where none is installed. */
export async function startPostgres(): Promise<Started | undefined> {
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  const server = findCommand([bin && join(bin, 'postgres'), 'postgres'])
  const initdb = findCommand([bin && join(bin, 'initdb'), 'initdb'])
  if (!server || !initdb) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'))
  const owner = ownerOfPostgres()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const superuser = 'gatehouse'
  execFileSync(
    initdb,
    ['-D', data, '-A', 'trust', '-U', superuser, '-E', 'UTF8', '--locale=C', '--no-sync'],
    {
      cwd: folder,
      stdio: 'pipe',
      ...owner,
    },
  )
  const port = await freePort()
  // Nothing of it outlives the run, so nothing of it is flushed.
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
    { cwd: folder, stdio: 'ignore', ...owner },
  )
  const url = `postgres://${superuser}@127.0.0.1:${port}/postgres`
  return whenReady(child, folder, 'SIGINT', url, () => postgresFault(url))
}

/** A NATS with JetStream for this run, or undefined where none is installed. */
export async function startNats(): Promise<Started | undefined> {
  const server = findCommand(['nats-server'])
  if (!server) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nats-'))
  const port = await freePort()
  const child = spawn(server, ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
  })
  const url = `nats://127.0.0.1:${port}`
  return whenReady(child, folder, 'SIGTERM', url, () => natsFault(url))
}

/** PostgreSQL refuses to run as root: the user that its package made runs it then. */
function ownerOfPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function whenReady(
  child: ChildProcess,
  folder: string,
  signal: NodeJS.Signals,
  url: string,
  fault: () => Promise<string | undefined>,
): Promise<Started> {
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
  const deadline = performance.now() + startLimitMs
  let last = await fault()
  while (last !== undefined && performance.now() < deadline && child.exitCode === null) {
    await wait(100)
    last = await fault()
  }
  if (last === undefined) return { url, stop }
  await stop()
  throw new Error(`${child.spawnfile} did not start: ${last}`)
}
