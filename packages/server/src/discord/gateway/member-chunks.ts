import { isId } from '@gatehouse/protocol/ids'
import { isJsonObject, numberToText } from '@gatehouse/protocol/json-object'
import type { Member } from '@gatehouse/protocol/servers'
import type { GatewayGuildMembersChunkDispatchData } from 'discord-api-types/v10'
import { countMembers, findMembers, isMember, listServerMembers } from '../../community/members/index.ts'
import { coversServer } from '../../gateway/connection/gateway-authentication.ts'
import type { TranslatedSession } from '../../gateway/wire-format.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database } from '../../storage/database.ts'
import { toDiscordMember } from '../objects/discord-member.ts'

interface ChunkDeps {
  db: Database
  clock: Clock
  /** Resolves when the rate of requests of the bot allows one more (limits/requests). */
  waitForRequest: (userId: string) => Promise<void>
}

export type MembersChunk = GatewayGuildMembersChunkDispatchData & { not_found?: string[] }

/** Of Discord's gateway. */
const membersPerChunk = 1000
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
    query: query.toLowerCase(),
    limit,
    nonce: typeof nonce === 'string' ? nonce.slice(0, 32) : undefined,
  }
}

/**
 * The chunks of GUILD_MEMBERS_CHUNK. Nothing for a request that is invalid, for a server that the bot is not a member
 * of or that another shard has, and for all members without the intent `members`, as Discord's gateway. Each page that
 * is read counts as a request of the bot.
 */
export async function* readMemberChunks(
  deps: ChunkDeps,
  { identity: { userId, options } }: TranslatedSession,
  d: unknown,
): AsyncGenerator<MembersChunk> {
  const request = parseMembersRequest(d)
  if (request === undefined || !coversServer(options, request.serverId)) return
  const { serverId, userIds, query, limit, nonce } = request
  const isWhole = userIds === undefined && query === ''
  if (isWhole && !options?.intents.includes('members')) return
  await deps.waitForRequest(userId)
  if (!(await isMember(deps.db, serverId, userId))) return
  const toChunk = (members: readonly Member[], index = 0, count = 1): MembersChunk => ({
    guild_id: serverId,
    members: members.map(toDiscordMember),
    chunk_index: index,
    chunk_count: count,
    ...(nonce === undefined ? {} : { nonce }),
  })
  if (userIds !== undefined) {
    const ids = userIds.filter(isId).slice(0, maxSelected)
    const found = ids.length === 0 ? [] : await findMembers(deps.db, deps.clock(), serverId, ids)
    const foundIds = new Set(found.map(({ user }) => user.id))
    yield { ...toChunk(found), not_found: userIds.filter(id => !foundIds.has(id)) }
  } else if (!isWhole || limit > 0) {
    yield toChunk(await search(deps, userId, serverId, query, Math.min(limit || maxSelected, maxSelected)))
  } else {
    const count = Math.max(1, Math.ceil((await countMembers(deps.db, serverId)) / membersPerChunk))
    let index = 0
    // The number of members may change meanwhile. The last chunk tells the client that there are no more.
    for await (const members of listPages(deps, userId, serverId)) {
      if (index < count) yield toChunk(members, index++, count)
    }
    for (; index < count; index++) yield toChunk([], index, count)
  }
}

async function search(
  deps: ChunkDeps,
  userId: string,
  serverId: string,
  query: string,
  limit: number,
): Promise<Member[]> {
  const found: Member[] = []
  for await (const members of listPages(deps, userId, serverId)) {
    found.push(
      ...members.filter(({ user }) =>
        [user.username, user.displayName].some(name => name.toLowerCase().startsWith(query)),
      ),
    )
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

/** The members in pages, by user id. The first page is already counted. */
async function* listPages(
  { db, clock, waitForRequest }: ChunkDeps,
  userId: string,
  serverId: string,
): AsyncGenerator<Member[]> {
  for (let after = ''; await isMember(db, serverId, userId); ) {
    const page = await listServerMembers(db, clock(), serverId, { after, limit: membersPerChunk })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < membersPerChunk) return
    after = last.user.id
    await waitForRequest(userId)
  }
}
