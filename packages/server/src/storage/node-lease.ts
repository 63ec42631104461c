import { randomBytes } from 'node:crypto'
import type { Clock } from '../kit/clock.ts'
import type { Database, Sql } from './database.ts'

const NODES = 1024
const LEASE_MS = 60_000
export const leaseRenewalMs = 20_000
const RELEASE_DELAY_MS = 5_000

/** Finds the numbers of processes that run now, for the copy. The parameter is the time. */
export const liveLeases = `SELECT id FROM nodes WHERE holder <> '' AND expires_at > $1`

export interface NodeLease {
  /** 0 to 1023. No other process creates ids with this number during the lease (community/ids). */
  node: number
  /**
   * Extends the lease to 60 s from now. Call it every `leaseRenewalMs`. Rejects with NodeLeaseLost if another process
   * has the number: this process must not create ids any more. After any other error, such as an unreachable database,
   * retry.
   */
  renew(): Promise<void>
  /** Releases the number. Does nothing if the lease is lost. */
  release(): Promise<void>
}

export class NodeLeaseLost extends Error {
  constructor(node: number) {
    super(`another process has leased node number ${node}, because it was not renewed in time`)
    this.name = 'NodeLeaseLost'
  }
}

interface Options {
  clock: Clock
  /** Identifies this run of the process. Must be unique. Default: a random one. */
  holder?: string
}

/**
 * Leases the lowest node number that is free or expired. The database decides between nodes that start concurrently.
 * The clocks of the nodes must agree within 40 s: the lease minus the renewal interval.
 */
export async function leaseNodeNumber(
  db: Database,
  { clock, holder = randomBytes(9).toString('base64url') }: Options,
): Promise<NodeLease> {
  const node = await acquire(db, clock, holder)
  return {
    node,
    async renew() {
      const renewed = await db.run`
        UPDATE nodes SET expires_at = ${clock() + LEASE_MS} WHERE id = ${node} AND holder = ${holder}`
      if (renewed === 0) throw new NodeLeaseLost(node)
    },
    async release() {
      // The delay covers a next holder whose clock is behind: otherwise it could create the same ids again.
      await db.run`
        UPDATE nodes SET holder = '', expires_at = ${clock() + RELEASE_DELAY_MS} WHERE id = ${node}
          AND holder = ${holder}`
    },
  }
}

/** The processes that have a number now: nodes, and commands. `lastSeenAt` is the time of the last renewal. */
export async function listNodes(sql: Sql, clock: Clock): Promise<{ id: number; lastSeenAt: number }[]> {
  const rows = await sql.all<{ id: number; expiresAt: number }>`
    SELECT id, expires_at FROM nodes WHERE holder <> '' AND expires_at > ${clock()} ORDER BY id`
  return rows.map(({ id, expiresAt }) => ({ id, lastSeenAt: expiresAt - LEASE_MS }))
}

async function acquire(db: Database, clock: Clock, holder: string): Promise<number> {
  const rows = await db.all<{ id: number }>`SELECT id FROM nodes WHERE expires_at > ${clock()}`
  const leased = new Set(rows.map(row => row.id))
  for (let id = 0; id < NODES; id++) {
    if (leased.has(id)) continue
    // Returns a row only to one of several processes that try this number concurrently.
    const acquired = await db.get<{ id: number }>`
      INSERT INTO nodes (id, holder, expires_at) VALUES (${id}, ${holder}, ${clock() + LEASE_MS})
      ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
      WHERE nodes.expires_at <= ${clock()}
      RETURNING id`
    if (acquired) return id
  }
  throw new Error(`all ${NODES} node numbers are leased`)
}
