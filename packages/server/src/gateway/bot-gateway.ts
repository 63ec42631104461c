import type { BotGatewayResponse } from '@gatehouse/protocol/gateway'
import { maxConnections, maxShards, serversPerShard } from '@gatehouse/protocol/limits'
import { countServersOfUser } from '../community/servers/index.ts'
import type { Sql } from '../storage/database.ts'

/** How a bot connects to the gateway at `url` (gateway/shards). */
export async function adviseBot(sql: Sql, userId: string, url: string): Promise<BotGatewayResponse> {
  const servers = await countServersOfUser(sql, userId)
  const shards = Math.min(maxShards, Math.max(1, Math.ceil(servers / serversPerShard)))
  return { url, shards, maxConnections }
}
