import { accessSync, constants } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import postgres from 'postgres'

const timeoutMs = 3000

/** Returns why PostgreSQL at `url` is not usable, or undefined if its user can create databases. */
export async function probePostgres(url: string): Promise<string | undefined> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: timeoutMs / 1000,
    idle_timeout: 1,
    onnotice: () => {},
  })
  try {
    const [row] =
      await sql`SELECT rolcreatedb OR rolsuper AS can_create FROM pg_roles WHERE rolname = current_user`
    return row?.can_create ? undefined : 'its user cannot create databases'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Returns why NATS at `url` is not usable, or undefined if it sends INFO with JetStream. */
export async function probeNats(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port || 4222), timeout: timeoutMs })
    let info = ''
    function end(problem: string | undefined): void {
      socket.destroy()
      resolve(problem)
    }
    socket.setEncoding('utf8')
    socket.on('error', error => end(error.message))
    socket.on('timeout', () => end('it sent no INFO message'))
    socket.on('end', () => end('it sent no INFO message'))
    socket.on('data', text => {
      info += text
      if (info.includes('\n')) end(/"jetstream":\s*true/.test(info) ? undefined : 'JetStream is not enabled')
    })
  })
}

/** Returns the path of the first executable. `names` are paths or names in PATH. */
export function findCommand(names: readonly (string | undefined)[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return names
    .flatMap(name => {
      if (!name) return []
      return name.includes('/') ? [name] : folders.map(folder => join(folder, name))
    })
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
