import type { Channel } from '@gatehouse/protocol/channels'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { formatPermissions } from '@gatehouse/protocol/permissions'
import { findUser, userView } from '../accounts/users/index.ts'
import { findApplication, findBotTokenHash, findCommand } from '../applications/index.ts'
import { toHiddenChannel } from '../community/channels/index.ts'
import { findMembers } from '../community/members/index.ts'
import { noMentions } from '../community/messages/index.ts'
import { findChannelAccess } from '../community/permissions/index.ts'
import { createDiscordInteractionToken, type InteractionsApi } from '../interactions/index.ts'
import { hashSecret } from '../kit/secret.ts'
import { type DiscordInteraction, toDiscordInteraction } from './objects/discord-interaction.ts'
import { type MessageFormatDeps, readMessageReferences, toDiscordMessage } from './objects/message-format.ts'

export interface DescribeDeps extends MessageFormatDeps {
  secretKey: Uint8Array
  interactions: Pick<InteractionsApi, 'findMessage' | 'findModal'>
}

/**
 * INTERACTION_CREATE of Discord's API, with what our event does not contain. All statements are sent together, because
 * the time of the bot runs (bots/deadline). The user or the bot may have left the channel since: then their permissions
 * are none. `botTokenHash`: of the session that receives the event, because the token ends with it. Without a session,
 * that of the application.
 */
export async function describeInteraction(
  deps: DescribeDeps,
  event: InteractionCreate,
  botTokenHash?: string,
): Promise<DiscordInteraction> {
  const { db, clock, secretKey, interactions } = deps
  const { id, channelId, serverId, user, applicationId } = event
  const now = clock()
  const botId = findApplication(db, applicationId).then(application => application?.botUserId ?? '')
  const [access, botAccess, [member], message, command, modal, hash] = await Promise.all([
    findChannelAccess(db, now, user.id, channelId),
    botId.then(bot => findChannelAccess(db, now, bot, channelId)),
    serverId === null ? [] : findMembers(db, now, serverId, [user.id]),
    botId.then(bot => findShownMessage(deps, event, bot)),
    'id' in event.data ? findCommand(db, event.data.id) : undefined,
    event.type === 'modal_submit' ? interactions.findModal(id) : undefined,
    botTokenHash ?? findBotTokenHash(db, applicationId),
  ])
  const channel: Channel = {
    ...toHiddenChannel({ id: channelId, serverId, type: 'text' }),
    ...access?.channel,
    ...(serverId === null && { recipient: { ...user, bot: false } }),
  }
  return toDiscordInteraction(event, {
    token: createDiscordInteractionToken(secretKey, {
      id,
      tokenHash: hashSecret(event.token),
      botTokenHash: hash,
    }),
    channel,
    member: access && member,
    commandServerId: command?.serverId ?? null,
    permissions: formatPermissions(access?.permissions ?? 0n),
    appPermissions: formatPermissions(botAccess?.permissions ?? 0n),
    message: message && toDiscordMessage(message, await readMessageReferences(deps, message)),
    modal,
  })
}

/** The message whose component was used, or that a command was chosen for. */
async function findShownMessage(
  { db, interactions }: DescribeDeps,
  event: InteractionCreate,
  botId: string,
): Promise<Message | undefined> {
  const { channelId, serverId, user } = event
  if (event.type === 'command') {
    if (!('type' in event.data) || event.data.type !== 'message') return undefined
    const { targetId, resolved } = event.data
    // That of the event lacks the ids of its components.
    const found =
      resolved.message.components.length > 0 &&
      interactions.findMessage({ userId: user.id, channelId, targetId })
    return (await found) || resolved.message
  }
  if (event.type === 'autocomplete' || event.message === undefined) return undefined
  const { message: used } = event
  const found = await interactions.findMessage({ userId: user.id, channelId, targetId: used.id })
  if (found) return found
  // It was deleted since. A client needs it nevertheless.
  const author = await findUser(db, botId)
  if (!author) return undefined
  const { createdAt } = event
  const common = { channelId, serverId, embeds: [], mentions: noMentions(), createdAt, editedAt: null }
  return { ...used, ...common, author: userView(author), state: 'sent' }
}
