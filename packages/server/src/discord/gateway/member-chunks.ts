import { isId } from '@gatehouse/protocol/ids'
import { isJsonObject, numberToText } from '@gatehouse/protocol/json-object'
import type { Member } from '@gatehouse/protocol/servers'
import type { GatewayGuildMembersChunkDispatchData } from 'discord-api-types/v10'
import { countMembers, findMembers, isMember } from '../../community/members/index.ts'
import { coversServer } from '../../gateway/connection/gateway-authentication.ts'
import type { TranslatedSession } from '../../gateway/wire-format.ts'
import {
  listMemberPages,
  type MemberPageDeps,
  membersPerPage,
  searchMembers,
  waitForRequest,
} from '../member-search.ts'
import { type DiscordMember, toDiscordMember } from '../objects/discord-member.ts'
import type { OptionalMembers, Whole } from '../objects/whole.ts'

export type MembersChunk = Whole<
  GatewayGuildMembersChunkDispatchData,
  OptionalMembers['membersChunk'],
  { members: DiscordMember[]; not_found: string[] }
>

/** The most members of a request that is not for all, as in Discord's gateway. */
const maxSelected = 100

/**
 * `d` of opcode 8. Without `user_ids`, the members whose username or display name begins with `query`. An empty query
 * without limit means all.
 */
interface MembersRequest {
  serverId: string
  userIds: readonly string[] | undefined
  query: string
  limit: number
  nonce: string | undefined
}

/** Undefined if it is invalid. */
function parseMembersRequest(d: unknown): MembersRequest | undefined {
  if (!isJsonObject(d)) return undefined
  const { query = '', limit = 0, nonce } = d
  const guildId = numberToText(Array.isArray(d.guild_id) ? d.guild_id[0] : d.guild_id)
  const userIds = d.user_ids === undefined ? undefined : [d.user_ids].flat().map(numberToText)
  if (typeof guildId !== 'string' || !isId(guildId)) return undefined
  if (typeof query !== 'string' || typeof limit !== 'number' || !(limit >= 0)) return undefined
  return {
    serverId: guildId,
    userIds: userIds?.filter(id => typeof id === 'string'),
    query,
    limit,
    nonce: typeof nonce === 'string' ? nonce.slice(0, 32) : undefined,
  }
}

/**
 * The chunks of GUILD_MEMBERS_CHUNK. Nothing for a request that is invalid, for a server that the bot is not a member
 * of or that another shard has, and for all members without the intent `members`, as Discord's gateway.
 */
export async function* readMemberChunks(
  deps: MemberPageDeps,
  { identity: { userId, options } }: TranslatedSession,
  d: unknown,
): AsyncGenerator<MembersChunk> {
  const request = parseMembersRequest(d)
  if (request === undefined || !coversServer(options, request.serverId)) return
  const { serverId, userIds, query, limit, nonce } = request
  const isWhole = userIds === undefined && query === ''
  if (isWhole && !options?.intents.includes('members')) return
  await waitForRequest(deps, userId)
  if (!(await isMember(deps.db, serverId, userId))) return
  const toChunk = (members: readonly Member[], index = 0, count = 1): MembersChunk => ({
    guild_id: serverId,
    members: members.map(toDiscordMember),
    chunk_index: index,
    chunk_count: count,
    not_found: [],
    presences: [],
    ...(nonce === undefined ? {} : { nonce }),
  })
  if (userIds !== undefined) {
    const ids = userIds.filter(isId).slice(0, maxSelected)
    const found = ids.length === 0 ? [] : await findMembers(deps.db, deps.clock(), serverId, ids)
    const foundIds = new Set(found.map(({ user }) => user.id))
    yield { ...toChunk(found), not_found: userIds.filter(id => !foundIds.has(id)) }
  } else if (!isWhole || limit > 0) {
    const most = Math.min(limit || maxSelected, maxSelected)
    yield toChunk(await searchMembers(deps, userId, { serverId, query, limit: most }))
  } else {
    const count = Math.max(1, Math.ceil((await countMembers(deps.db, serverId)) / membersPerPage))
    let index = 0
    // The number of members may change meanwhile. The last chunk tells the client that there are no more.
    for await (const members of listMemberPages(deps, userId, serverId)) {
      if (index < count) yield toChunk(members, index++, count)
    }
    for (; index < count; index++) yield toChunk([], index, count)
  }
}
