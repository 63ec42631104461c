import type { Ready } from '@gatehouse/protocol/gateway'
import { maxReadStates } from '@gatehouse/protocol/limits'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { findUser, selfView } from '../../accounts/users/index.ts'
import { listRoleIdsByServer } from '../../community/members/index.ts'
import {
  listMentionedChannelIds,
  listNewestMessages,
  listReadStates,
  type NewestMessage,
} from '../../community/read-state/index.ts'
import { listServersOfUser } from '../../community/servers/index.ts'
import { groupBySize, inSlices, oneByOne } from '../../kit/batches.ts'
import type { Sql } from '../../storage/database.ts'
import type { GatewaySession } from '../sessions/gateway-session.ts'
import { coversServer } from './gateway-authentication.ts'

const noRoles: ReadonlyMap<string, string[]> = new Map()

/** Reads the payload of READY. Undefined if the account was deleted. */
export async function readReady(
  sql: Sql,
  { id, identity, subscriptions }: Pick<GatewaySession, 'id' | 'identity' | 'subscriptions'>,
  resumeUrl: string,
): Promise<Ready | undefined> {
  const { kind, userId, options } = identity
  const isUser = kind === 'user'
  const [user, allServers] = await Promise.all([findUser(sql, userId), listServersOfUser(sql, userId)])
  if (user === undefined) return undefined
  const servers = options?.shard ? allServers.filter(server => coversServer(options, server.id)) : allServers
  const roles = isUser ? await readRoles(sql, userId, servers) : noRoles
  const channelIds = subscriptions?.visibleChannelIds() ?? []
  const readStates = isUser ? await readReadStates(sql, userId, channelIds, roles) : undefined
  return {
    sessionId: id,
    resumeUrl,
    user: selfView(user),
    ...(isUser ? {} : { application: { id: identity.credentialId } }),
    servers: servers.map(server => ({
      id: server.id,
      name: server.name,
      ...(isUser ? { roles: roles.get(server.id) ?? [] } : {}),
    })),
    ...(options?.shard ? { shard: [...options.shard] } : {}),
    ...(readStates ? { readStates } : {}),
  }
}

const serversPerStatement = 20

/** The roles of the user by server id. */
async function readRoles(
  sql: Sql,
  userId: string,
  servers: readonly { id: string }[],
): Promise<ReadonlyMap<string, string[]>> {
  const ids = servers.map(server => server.id)
  const slices = await inSlices(ids, serversPerStatement, slice => listRoleIdsByServer(sql, userId, slice))
  return new Map(slices.flatMap(slice => [...slice]))
}

const channelsPerStatement = 250
/** Index searches for mentions of the user and of each role. A channel without any mentions needs few. */
const searchesPerStatement = 5000
const minSearches = searchesPerStatement / channelsPerStatement

/** The read states of the channels with the newest messages, or of all channels. */
async function readReadStates(
  sql: Sql,
  userId: string,
  channelIds: readonly string[],
  roles: ReadonlyMap<string, readonly string[]>,
): Promise<ReadState[]> {
  const maxSearches = 1 + Math.max(0, ...[...roles.values()].map(ofServer => ofServer.length))
  const newest = channelIds.length > maxReadStates ? await listNewest(sql, channelIds) : channelIds
  const ids = newest.toSorted()
  const mentioned = maxSearches > minSearches ? await listChannelsWithMentions(sql, ids) : new Set()
  const searchesOf = (id: string) => (mentioned.has(id) ? maxSearches : minSearches)
  const groups = groupBySize(ids, searchesOf, searchesPerStatement)
  const states = await oneByOne(groups, group => listReadStates(sql, userId, group))
  return states.flat()
}

async function listChannelsWithMentions(sql: Sql, channelIds: readonly string[]): Promise<Set<string>> {
  const ids = await inSlices(channelIds, channelsPerStatement, slice => listMentionedChannelIds(sql, slice))
  return new Set(ids.flat())
}

/** The `maxReadStates` channels with the newest messages. */
async function listNewest(sql: Sql, channelIds: readonly string[]): Promise<string[]> {
  let newest: NewestMessage[] = []
  await inSlices(channelIds.toSorted(), channelsPerStatement, async ids => {
    newest.push(...(await listNewestMessages(sql, ids)))
    // Not after every slice, because sorting takes longer than reading.
    if (newest.length > 2 * maxReadStates) newest = sortNewest(newest)
  })
  return sortNewest(newest).map(({ channelId }) => channelId)
}

function sortNewest(channels: readonly NewestMessage[]): NewestMessage[] {
  const newer = (a: NewestMessage, b: NewestMessage) => ((a.messageId ?? '') < (b.messageId ?? '') ? 1 : -1)
  return channels.toSorted(newer).slice(0, maxReadStates)
}
