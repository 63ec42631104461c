// What other features use of interactions: the tokens of those that are delivered in Discord's format. The parts of the
// module are created in interactions-module.ts.
export type { InteractionsApi } from './interactions-module.ts'
export type { ResponseCredentials } from './response-context.ts'
export { createDiscordInteractionToken } from './response-token.ts'
