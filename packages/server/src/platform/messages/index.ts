// Owns the messages: how they are kept and read, whom they notify (D36), and what people and bots say, edit and delete.
// Does not own: responses to interactions and webhook posts, which decide for themselves and are kept here; ephemeral
// messages, which are kept nowhere (D30).
export { type Conversation, createConversation, type Speaker } from './conversation.ts'
export { type Draft, readDraft, requireSubstance } from './draft.ts'
export { resolveMentions } from './mentions.ts'
export { type MessageRecord, messageView } from './message-record.ts'
export { createMessages, type MessageChanges, type Messages, type NewMessage } from './messages.ts'
