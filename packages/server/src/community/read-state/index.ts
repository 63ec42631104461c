// Owns the read state of each user: the last message that they have read in each channel, and the number of new
// mentions. Does not own: messages and their mentions (messages/), the visibility of channels (permissions/).

export {
  listMentionedChannelIds,
  listNewestMessages,
  listReadStates,
  type NewestMessage,
} from './read-state-store.ts'
export { createReadStates, type ReadStates } from './read-states.ts'
