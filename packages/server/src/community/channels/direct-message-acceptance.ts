import { AppError } from '../../errors/app-error.ts'
import type { Sql } from '../../storage/database.ts'
import { haveMutualServer } from '../members/index.ts'
import type { ChannelRecord } from '../permissions/index.ts'
import { findRecipientOfMessage } from './channel-store.ts'

/**
 * Throws 403 `cannot_message_user` unless the other user of a direct message accepts messages of the sender
 * (community/direct-message-acceptance). The error is the same for every reason. Accepts every channel of a server.
 */
export async function requireAcceptedSender(
  sql: Sql,
  { id, serverId }: Pick<ChannelRecord, 'id' | 'serverId'>,
  senderId: string,
): Promise<void> {
  if (serverId !== null) return
  const recipient = await findRecipientOfMessage(sql, id, senderId)
  if (recipient !== undefined && recipient.blocksSender === 0) {
    if (recipient.hasWritten === 1) return
    if (recipient.directMessages === 'members' && (await haveMutualServer(sql, senderId, recipient.id)))
      return
  }
  throw new AppError('cannot_message_user', 'You cannot send messages to this user.')
}
