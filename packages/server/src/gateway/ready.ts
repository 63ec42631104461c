import type { Ready } from '@gatehouse/protocol/gateway'
import { maxReadStates } from '@gatehouse/protocol/limits'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { inSlices } from '../kit/batches.ts'
import { listRoleIdsByServer } from '../platform/members/index.ts'
import { listReadStates } from '../platform/read-state/index.ts'
import { listUserServers } from '../platform/servers/index.ts'
import { findUser, selfView } from '../platform/users/index.ts'
import type { Sql } from '../storage/database.ts'
import type { GatewaySession } from './gateway-session.ts'

const noRoles: ReadonlyMap<string, string[]> = new Map()

/** Reads the payload of READY. Undefined if the account was deleted. */
export async function readReady(
  sql: Sql,
  { id, identity, subscriptions }: Pick<GatewaySession, 'id' | 'identity' | 'subscriptions'>,
  resumeUrl: string,
): Promise<Ready | undefined> {
  const { kind, userId } = identity
  const isUser = kind === 'user'
  const [user, servers, roles, readStates] = await Promise.all([
    findUser(sql, userId),
    listUserServers(sql, userId),
    isUser ? listRoleIdsByServer(sql, userId) : noRoles,
    readReadStates(sql, userId, subscriptions?.visibleChannelIds() ?? []),
  ])
  if (user === undefined) return undefined
  return {
    sessionId: id,
    resumeUrl,
    user: selfView(user, { email: isUser }),
    ...(isUser ? {} : { application: { id: identity.credentialId } }),
    servers: servers.map(server => ({
      id: server.id,
      name: server.name,
      ...(isUser ? { roles: roles.get(server.id) ?? [] } : {}),
    })),
    ...(isUser ? { readStates } : {}),
  }
}

const channelsPerStatement = 250

/** The read states of the channels with the newest messages, or of all channels by id. */
async function readReadStates(sql: Sql, userId: string, channelIds: readonly string[]): Promise<ReadState[]> {
  let states: ReadState[] = []
  await inSlices(channelIds.toSorted(), channelsPerStatement, async ids => {
    states.push(...(await listReadStates(sql, userId, ids)))
    // Not after every slice, because sorting takes longer than reading.
    if (states.length > 2 * maxReadStates) states = newest(states)
  })
  return states.length > maxReadStates ? newest(states) : states
}

function newest(states: readonly ReadState[]): ReadState[] {
  const newer = (a: ReadState, b: ReadState) => ((a.lastMessageId ?? '') < (b.lastMessageId ?? '') ? 1 : -1)
  return states.toSorted(newer).slice(0, maxReadStates)
}
