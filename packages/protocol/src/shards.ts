import { maxShards } from './limits.ts'

/** Shard `id` of `count` of a bot: 0 ≤ id < count (gateway/shards). */
export type Shard = readonly [id: number, count: number]

export function isShard(value: unknown): value is Shard {
  if (!Array.isArray(value) || value.length !== 2 || !value.every(Number.isInteger)) return false
  const [id, count] = value
  return id >= 0 && id < count && count <= maxShards
}

/**
 * Whether the shard has the server: `(serverId >> 22) % count` is its id. Shard 0 has the direct messages, with null.
 */
export function isInShard([id, count]: Shard, serverId: string | null): boolean {
  if (count === 1) return true
  return id === (serverId === null ? 0 : Number((BigInt(serverId) >> 22n) % BigInt(count)))
}
