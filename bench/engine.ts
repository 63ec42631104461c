import { randomBytes } from 'node:crypto'
import postgres from 'postgres'

/** The backend of the service: SQLite in its folder, or PostgreSQL and NATS. */
export interface Engine {
  /** Creates an empty database and returns its environment variables. */
  env(): Promise<Record<string, string>>
  remove(): Promise<void>
}

const defaults = {
  TEST_DATABASE_URL: 'postgres://root@127.0.0.1:5432/postgres',
  TEST_NATS_URL: 'nats://127.0.0.1:4222',
} as const

export async function makeEngine(isPostgres: boolean): Promise<Engine> {
  if (!isPostgres) return { env: async () => ({}), remove: async () => undefined }
  const server = process.env.TEST_DATABASE_URL ?? defaults.TEST_DATABASE_URL
  const natsUrl = process.env.TEST_NATS_URL ?? defaults.TEST_NATS_URL
  const names: string[] = []
  const sql = postgres(server, { max: 1, onnotice: () => undefined })
  return {
    async env() {
      const name = `gatehouse_bench_${randomBytes(4).toString('hex')}`
      await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
      names.push(name)
      const url = new URL(server)
      url.pathname = `/${name}`
      // All services of a run share one NATS server. Their snowflake ids differ, so their messages do not mix.
      return { DATABASE_URL: url.href, NATS_URL: natsUrl }
    },
    async remove() {
      for (const name of names) await sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await sql.end()
    },
  }
}
