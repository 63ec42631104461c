// Owns the channels of servers, their permission overwrites (community/permission-hierarchy), and direct messages.
// Does not own: the permissions that follow from overwrites (permissions/), messages (messages/), webhooks.

export { createChannelMoves } from './channel-moves.ts'
export {
  listChannelIds,
  listDirectMessageIds,
  listDirectMessageUserIds,
  setHasWritten,
} from './channel-store.ts'
export {
  type Channels,
  createChannels,
  describeHiddenChannels,
  listServerChannels,
  toHiddenChannel,
} from './channels.ts'
export { requireAcceptedSender } from './direct-message-acceptance.ts'
export { createDirectMessages, type DirectMessages, reopenDirectMessage } from './direct-messages.ts'
export { findManageableTarget } from './overwrite-targets.ts'
export { createOverwrites, type Overwrites } from './overwrites.ts'
