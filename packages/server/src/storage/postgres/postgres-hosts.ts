import { isIPv6 } from 'node:net'
import { StorageUnavailable } from '../database.ts'
import { type PostgresAddress, parsePostgresUrl } from '../database-url.ts'
import { type ConnectionOptions, PostgresConnection } from './postgres-connection.ts'

/**
 * Returns a function that opens a connection. With several hosts, each connection is opened to the server that accepts
 * writes at that time, so that after a fail-over the service goes on with the new primary.
 */
export function createConnector(text: string, options: ConnectionOptions): () => PostgresConnection {
  const { url, hosts, needsPrimary } = parsePostgresUrl(text)
  if (!needsPrimary) {
    const [address] = hosts
    // The driver ends the host at the first colon.
    const locateOnly = address && isIPv6(address.host) ? async () => address : undefined
    return () => new PostgresConnection(url, options, locateOnly)
  }
  let finding: Promise<PostgresAddress> | undefined
  /** Connections that are opened at the same time share one search. */
  function locate(): Promise<PostgresAddress> {
    finding ??= findPrimary(url, hosts, options).finally(() => {
      finding = undefined
    })
    return finding
  }
  return () => new PostgresConnection(url, options, locate)
}

/** Asks all hosts at the same time: one that is down may not respond at all. */
async function findPrimary(
  url: string,
  hosts: readonly PostgresAddress[],
  options: ConnectionOptions,
): Promise<PostgresAddress> {
  const probes = hosts.map(host => ({
    host,
    connection: new PostgresConnection(url, options, async () => host),
  }))
  const answers = probes.map(async ({ host, connection }) => {
    await connection.open()
    const { rows } = await connection.query(`SELECT current_setting('transaction_read_only') AS read_only`)
    if (rows[0]?.readOnly !== 'off')
      throw new StorageUnavailable(new Error('a server of DATABASE_URL is read-only'))
    return host
  })
  try {
    return await Promise.any(answers)
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  } finally {
    for (const { connection } of probes) connection.abort(new Error('another server is the primary'))
  }
}
