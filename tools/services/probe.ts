import { accessSync, constants } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import postgres from 'postgres'

const patienceMs = 3000

/** Why PostgreSQL at `url` cannot be used, or undefined where it answers and lets a database be made. */
export async function postgresFault(url: string): Promise<string | undefined> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: patienceMs / 1000,
    idle_timeout: 1,
    onnotice: () => {},
  })
  try {
    const [row] = await sql`SELECT rolcreatedb OR rolsuper AS able FROM pg_roles WHERE rolname = current_user`
    return row?.able ? undefined : 'its user may not make databases'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Why NATS at `url` cannot be used, or undefined where it greets and has JetStream. */
export async function natsFault(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port || 4222), timeout: patienceMs })
    let greeting = ''
    function end(fault: string | undefined): void {
      socket.destroy()
      resolve(fault)
    }
    socket.setEncoding('utf8')
    socket.on('error', error => end(error.message))
    socket.on('timeout', () => end('no greeting'))
    socket.on('end', () => end('no greeting'))
    socket.on('data', text => {
      greeting += text
      if (greeting.includes('\n'))
        end(/"jetstream":\s*true/.test(greeting) ? undefined : 'it has no JetStream')
    })
  })
}

/** The first of `names`, paths or names of commands, that can be run. */
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
