import { maxConnections, maxUnidentifiedConnections } from '@gatehouse/protocol/limits'
import { ipRateLimitKey } from '../../kit/ip.ts'

/** The gateway connections of this node, by user or bot and by IP address. */
export class ConnectionCounts {
  readonly #byUser = new Map<string, number>()
  readonly #unidentifiedByAddress = new Map<string, number>()

  /** True if the user or bot may have one more connection (gateway/connection-limit). */
  admitsUser(userId: string): boolean {
    return (this.#byUser.get(userId) ?? 0) < maxConnections
  }

  addOfUser(userId: string): void {
    add(this.#byUser, userId, 1)
  }

  removeOfUser(userId: string): void {
    add(this.#byUser, userId, -1)
  }

  /** True if one more connection of this address may be unidentified (gateway/unidentified-limit). */
  admitsUnidentified(ip: string): boolean {
    return (this.#unidentifiedByAddress.get(ipRateLimitKey(ip)) ?? 0) < maxUnidentifiedConnections
  }

  addUnidentified(ip: string): void {
    add(this.#unidentifiedByAddress, ipRateLimitKey(ip), 1)
  }

  removeUnidentified(ip: string): void {
    add(this.#unidentifiedByAddress, ipRateLimitKey(ip), -1)
  }
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
