// Owns messages: storing and reading them, the users and roles that they notify (webhooks/mentions), and the
// permissions of users and bots who send, edit and delete them.
// Does not own: the permission checks of interaction responses (interactions/) and webhooks (webhooks/), which use the
// repository directly; ephemeral messages, which are never stored (bots/ephemeral).
export { resolveMentions } from './mentions.ts'
export { requireContentOrEmbed } from './message-body.ts'
export { createMessageDeletions, type MessageDeletions } from './message-deletions.ts'
export {
  findOrUnknown,
  type MessageChanges,
  type MessageRecord,
  noMentions,
  toMessage,
} from './message-record.ts'
export { createMessageRepository, type MessageRepository, type NewMessage } from './message-repository.ts'
export { createMessages, type Messages } from './messages.ts'
export { countMessagesBefore, deleteMessagesBefore } from './prune.ts'
export { sweepTurns } from './slow-mode.ts'
