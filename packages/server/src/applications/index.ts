// Owns the applications of developers: settings, client secrets, the key that signs requests to the interactions endpoint,
// bots and their tokens, registered commands, who may use them on a server, and integrations (the servers that an application was added to).
// Does not own OAuth tokens (oauth/), interactions (interactions/) and the membership of bots (platform/members).
export { ownApplication, toIconPath } from './applications.ts'
export {
  type ApplicationRecord,
  type ClientRecord,
  findApplication,
  findByBotUser,
  findClient,
} from './applications-store.ts'
export { mayUseCommand } from './command-permissions.ts'
export { toRegisteredCommand } from './commands.ts'
export {
  type CommandAvailability,
  type CommandRecord,
  findCommand,
  findCommandAvailability,
  listServerCommands,
  readServerCommands,
  type ServerCommandRecord,
} from './commands-store.ts'
export type { Integrations } from './integrations.ts'
export { toUri } from './redirect-uri-rules.ts'
export { type RequestSigner, replaceUnreadableKeys } from './signature.ts'
