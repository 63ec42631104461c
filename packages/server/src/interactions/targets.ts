import type { CommandType } from '@gatehouse/protocol/commands'
import type { MessageCommandData, UserCommandData } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { toMessage } from '../community/messages/index.ts'
import { invalid } from '../errors/app-error.ts'
import { withoutComponentIds } from '../events/component-ids.ts'
import { createEntityLookup } from './resolved-entities.ts'
import type { ResponseDeps } from './response-context.ts'

interface Request {
  userId: string
  channelId: string
  serverId: string
  targetId: string | undefined
}

/** What the event of a command in a menu has in addition to that of a slash command. */
export type Target =
  | Pick<UserCommandData, 'type' | 'targetId' | 'resolved'>
  | Pick<MessageCommandData, 'type' | 'targetId' | 'resolved'>

/**
 * The user or message that a command was chosen for; undefined for a slash command. Throws 400 unless the user can see
 * it in this channel or server (bots/context-commands).
 */
export async function resolveTarget(
  deps: Pick<ResponseDeps, 'db' | 'clock' | 'messages' | 'ephemerals'>,
  type: CommandType,
  request: Request,
): Promise<Target | undefined> {
  const { targetId } = request
  if (type === 'slash') {
    if (targetId === undefined) return undefined
    throw invalid('targetId', 'not_allowed', 'is not accepted for a slash command')
  }
  if (targetId === undefined) throw invalid('targetId', 'required', 'is required')
  if (type === 'user') {
    const { users, members } = await createEntityLookup(deps.db, deps.clock(), request).users([targetId])
    const [user, member] = [users?.[targetId], members?.[targetId]]
    if (!user || !member) throw invalid('targetId', 'unknown_user', 'must be a member of this server')
    return { type, targetId, resolved: { user, member } }
  }
  const message = await findVisibleMessage(deps, { ...request, targetId })
  if (!message) {
    throw invalid('targetId', 'unknown_message', 'must be a message in this channel that you can see')
  }
  const components = withoutComponentIds(message.components)
  return { type, targetId, resolved: { message: { ...message, components } } }
}

/** A stored message, or an ephemeral one of the user. */
export async function findVisibleMessage(
  { db, messages, ephemerals }: Pick<ResponseDeps, 'db' | 'messages' | 'ephemerals'>,
  { userId, channelId, targetId }: { userId: string; channelId: string; targetId: string },
): Promise<Message | undefined> {
  const stored = await messages.findMessage(db, channelId, targetId)
  if (stored) return toMessage(stored)
  const ephemeral = await ephemerals.find(targetId)
  if (ephemeral?.userId !== userId || ephemeral.message.channelId !== channelId) return undefined
  return ephemeral.message
}
