import type { Clock } from '../kit/clock.ts'
import type { Database } from './database.ts'

const NODES = 1024
const LEASE_MS = 60_000
const REST_MS = 5_000

export interface NodeLease {
  /** 0 to 1023: nobody else makes ids with it while the lease holds (D5). */
  node: number
  /**
   * For another 60 s from now; due every 20 s. Rejects with NodeLeaseLost where somebody else has the number: from then
   * on this process must make no id. Any other failure (the database is gone) is worth the next try.
   */
  renew(): Promise<void>
  /** Gives the number back. Does nothing where it is lost already. */
  release(): Promise<void>
}

export class NodeLeaseLost extends Error {
  constructor(node: number) {
    super(`the node number ${node} was not renewed in time and belongs to another process now`)
    this.name = 'NodeLeaseLost'
  }
}

interface Options {
  clock: Clock
  /** Names this run of the process; never used twice. */
  holder: string
}

/**
 * Takes the lowest node number that is free or whose lease has run out. Decided by the database among nodes that start
 * at once; the clocks of the nodes must agree within the 40 s that a late renewal has.
 */
export async function leaseNode(db: Database, { clock, holder }: Options): Promise<NodeLease> {
  const node = await take(db, clock, holder)
  return {
    node,
    async renew() {
      const renewed = await db.run`
        UPDATE nodes SET expires_at = ${clock() + LEASE_MS} WHERE id = ${node} AND holder = ${holder}`
      if (renewed === 0) throw new NodeLeaseLost(node)
    },
    async release() {
      // The number rests a while, so that the next holder, by a clock that may be behind, makes none of our ids again.
      await db.run`
        UPDATE nodes SET holder = '', expires_at = ${clock() + REST_MS} WHERE id = ${node} AND holder = ${holder}`
    },
  }
}

async function take(db: Database, clock: Clock, holder: string): Promise<number> {
  const rows = await db.all<{ id: number }>`SELECT id FROM nodes WHERE expires_at > ${clock()}`
  const held = new Set(rows.map(row => row.id))
  for (let id = 0; id < NODES; id++) {
    if (held.has(id)) continue
    // One statement that decides: among several who try this number, one gets the row back.
    const taken = await db.get<{ id: number }>`
      INSERT INTO nodes (id, holder, expires_at) VALUES (${id}, ${holder}, ${clock() + LEASE_MS})
      ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
      WHERE nodes.expires_at <= ${clock()}
      RETURNING id`
    if (taken) return id
  }
  throw new Error(`all ${NODES} node numbers are held`)
}
