// Owns the users and bots that a user blocks.
// Does not own: what a block refuses in direct messages (channels/), and the unread mentions without those of blocked
// users (read-state/).
export { type Blocks, createBlocks } from './user-blocks.ts'
