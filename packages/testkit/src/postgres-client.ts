import { connect, type Socket } from 'node:net'
import postgres from 'postgres'

const connectTimeoutS = 5
const statementTimeoutMs = 60_000

/**
 * One connection, which is opened when it is used first. It stays open, and does not keep the process running. After an
 * error the next query has a new connection. Run one query at a time.
 */
export class PostgresClient {
  readonly #url: string
  #connection: { sql: postgres.Sql; socket?: Socket } | undefined

  constructor(url: string) {
    this.#url = url
  }

  /** Without values, `text` may contain several statements. */
  async query<Row = Record<string, unknown>>(text: string, values: string[] = []): Promise<Row[]> {
    this.#connection ??= open(this.#url)
    const connection = this.#connection
    connection.socket?.ref()
    try {
      return [...(await connection.sql.unsafe(text, values))] as Row[]
    } catch (error) {
      await this.close()
      throw error
    } finally {
      connection.socket?.unref()
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    connection?.socket?.ref()
    await connection?.sql.end({ timeout: 1 })
  }
}

function open(url: string): { sql: postgres.Sql; socket?: Socket } {
  const settings = {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: connectTimeoutS,
    fetch_types: false,
    connection: { application_name: 'gatehouse-testkit', statement_timeout: statementTimeoutMs },
    onnotice: () => undefined,
    // Missing in the types of the driver.
    socket: async (to: { host: string[]; port: number[]; path?: string | false }) => {
      const [host = '127.0.0.1'] = to.host
      const socket = connect(to.path ? { path: to.path } : { host, port: to.port[0] ?? 5432 })
      connection.socket = socket
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
      return socket
    },
  }
  const connection: { sql: postgres.Sql; socket?: Socket } = { sql: postgres(url, settings) }
  return connection
}
