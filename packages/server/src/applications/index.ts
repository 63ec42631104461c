// Owns a developer's applications: their addresses and secrets, the key that signs what is sent to them, their bot and its
// token, the commands it registered, and on which servers it was added.
// Does not own: tokens of people (oauth/), the use of commands (interactions/), the bot as a member (platform/members).
import { type ApplicationDeps, type ApplicationRules, createApplicationRules } from './application.ts'
import { type BotRules, createBotRules } from './bot.ts'
import { type CommandRules, createCommandRules } from './commands/commands.ts'
import { createInstallationRules, type InstallationRules } from './installations/installations.ts'
import { createRequestSigner, type RequestSigner } from './signature.ts'

export { ownApplication } from './application.ts'
export { type CommandRecord, commandsForServer, findCommand, isShadowed } from './commands/store.ts'
export { findInstallation, type InstallationRecord } from './installations/store.ts'
export {
  type ApplicationRecord,
  type ClientRecord,
  findApplication,
  findByBotUser,
  findClient,
} from './store.ts'
export type { ApplicationRules, BotRules, CommandRules, InstallationRules, RequestSigner }

export interface Applications {
  applications: ApplicationRules
  bots: BotRules
  commands: CommandRules
  installations: InstallationRules
  /** Signs what is sent to an interactions endpoint. */
  sign: RequestSigner
}

type Deps = ApplicationDeps &
  Parameters<typeof createBotRules>[0] &
  Parameters<typeof createInstallationRules>[0]

export function createApplications(deps: Deps): Applications {
  const sign = createRequestSigner(deps)
  return {
    applications: createApplicationRules({ ...deps, sign }),
    bots: createBotRules(deps),
    commands: createCommandRules(deps),
    installations: createInstallationRules(deps),
    sign,
  }
}
