import type {
  CommandInteraction,
  ComponentInteraction,
  InteractionCreate,
  ModalSubmitInteraction,
} from '@gatehouse/protocol/interactions'
import type { InteractionUser } from '@gatehouse/protocol/users'
import { type UserRecord, userView } from '../accounts/users/index.ts'
import type { ApplicationRecord } from '../applications/index.ts'
import type { ChannelAccess } from '../community/permissions/index.ts'
import type { InteractionRecord, MessageRef, StoredEvent } from './interaction-store.ts'

/** The user of an interaction, with their access to its channel. */
export interface UserInChannel {
  userId: string
  access: ChannelAccess
}

/** One use of a command, a component or a modal, after all its checks. */
export interface Use extends Pick<InteractionRecord, 'name' | 'sourceMessage' | 'openedBy'> {
  /** Its bot receives the interaction. */
  application: ApplicationRecord
  /** The members of INTERACTION_CREATE that depend on what was used (bots/interaction-payload). */
  event:
    | Pick<CommandInteraction, 'type' | 'serverId' | 'data'>
    | Pick<ComponentInteraction, 'type' | 'serverId' | 'data' | 'message'>
    | Pick<ModalSubmitInteraction, 'type' | 'serverId' | 'data' | 'message'>
}

export function toInteractionUser(record: UserRecord): InteractionUser {
  const { bot: _, ...user } = userView(record)
  return user
}

/** Without the token, and without the content of an ephemeral message (bots/ephemeral). */
export function toStoredEvent(
  { token: _, ...event }: Exclude<InteractionCreate, { type: 'autocomplete' }>,
  sourceMessage: MessageRef | undefined,
): StoredEvent {
  if (event.type === 'command' && 'type' in event.data && event.data.type === 'message') {
    const { id, ephemeral } = event.data.resolved.message
    if (ephemeral === true) return { ...event, data: { ...event.data, resolved: { message: { id } } } }
  }
  return sourceMessage?.ephemeral === true ? { ...event, message: { id: sourceMessage.id } } : event
}
