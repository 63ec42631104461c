// Owns the applications of developers: settings, client secrets, the key that signs requests to the interactions
// endpoint, bots and their tokens, registered commands, who may use them on a server, and integrations (the servers
// that an application was added to). Does not own OAuth tokens (oauth/), interactions (interactions/) and the
// membership of bots (community/members/).

export {
  type ApplicationRecord,
  type BoundRecord,
  type ClientRecord,
  findApplication,
  findBotTokenHash,
  findByBotUser,
  findClient,
  findValidApplication,
  listBoundApplications,
} from './application-store.ts'
export { type Applications, ownApplication, toIconPath } from './applications.ts'
export { mayUseCommand } from './command-permissions.ts'
export {
  type CommandAvailability,
  type CommandRecord,
  findCommand,
  findCommandAvailability,
  type LeftOut,
  listServerCommands,
  readServerCommands,
  type ServerCommandRecord,
} from './command-store.ts'
export { type CommandSet, type Commands, parseCommands, toRegisteredCommand } from './commands.ts'
export type { Integrations } from './integrations.ts'
export { toUri } from './redirect-uri-rules.ts'
export { type RequestSigner, replaceUnreadableKeys } from './request-signature.ts'
export { findBindingState } from './server-binding.ts'
