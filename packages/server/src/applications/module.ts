import type { Core, Module } from '../core.ts'
import { sweepDeleted } from '../storage/deletion-registry.ts'
import { createApplications } from './applications.ts'
import { type Bots, createBots } from './bot.ts'
import { createCommandPermissions } from './command-permissions.ts'
import {
  deleteOverridesOfChannel,
  deleteOverridesOfRole,
  deleteOverridesOfServer,
} from './command-permissions-store.ts'
import { createCommands } from './commands.ts'
import { deletedCommands } from './commands-store.ts'
import type { Deps } from './deps.ts'
import { createIntegrations, type Integrations } from './integrations.ts'
import { deleteIntegrationsOfServer } from './integrations-store.ts'
import { applicationsRoutes } from './routes/applications.ts'
import { botRoutes } from './routes/bot.ts'
import { commandPermissionsRoutes } from './routes/command-permissions.ts'
import { commandsRoutes } from './routes/commands.ts'
import { iconRoute } from './routes/icon.ts'
import { integrationsRoute } from './routes/integrations.ts'
import { secretRoute } from './routes/secret.ts'
import { createRequestSigner, type RequestSigner } from './signature.ts'

interface ApplicationsApi {
  bots: Bots
  integrations: Integrations
  /** Signs requests to an interactions endpoint. */
  sign: RequestSigner
}

export function createApplicationsModule(
  core: Core,
  others: Pick<Deps, 'users' | 'members' | 'outgoing'>,
): Module<ApplicationsApi> {
  const deps: Deps = { ...core, ...others }
  const sign = createRequestSigner(deps)
  const applications = createApplications(deps, sign)
  const bots = createBots(deps)
  const integrations = createIntegrations(deps)
  return {
    api: { bots, integrations, sign },
    routes: [
      ...applicationsRoutes(applications),
      iconRoute(applications),
      secretRoute(applications),
      ...botRoutes(bots),
      ...commandsRoutes(createCommands(deps)),
      ...commandPermissionsRoutes(createCommandPermissions(deps)),
      integrationsRoute(integrations),
    ],
    sweeps: [() => applications.sweep(), () => sweepDeleted(core.db, deletedCommands)],
    deletions: {
      server: [deleteOverridesOfServer, deleteIntegrationsOfServer],
      channel: [deleteOverridesOfChannel],
      role: [deleteOverridesOfRole],
    },
    subscribers: [
      {
        name: 'integrations',
        handlers: {
          MemberRemoved: (tx, { serverId, userId }) => integrations.onMemberRemoved(tx, serverId, userId),
        },
      },
    ],
  }
}
