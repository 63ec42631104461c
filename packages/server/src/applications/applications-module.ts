import type { Module } from '../events/module.ts'
import { sweepDeleted } from '../storage/deletion-registry.ts'
import { type Bots, createBots } from './application-bots.ts'
import type { Deps } from './application-deps.ts'
import { iconRoute } from './application-icon-routes.ts'
import { applicationRoutes } from './application-routes.ts'
import { type Applications, createApplications } from './applications.ts'
import { botRoutes } from './bot-routes.ts'
import { boundApplicationRoutes } from './bound-application-routes.ts'
import { createBoundApplications } from './bound-applications.ts'
import { commandPermissionRoutes } from './command-permission-routes.ts'
import {
  deleteOverridesOfChannel,
  deleteOverridesOfRole,
  deleteOverridesOfServer,
} from './command-permission-store.ts'
import { createCommandPermissions } from './command-permissions.ts'
import { commandRoutes } from './command-routes.ts'
import { deletedCommands } from './command-store.ts'
import { type Commands, createCommands } from './commands.ts'
import { integrationRoute } from './integration-routes.ts'
import { deleteIntegrationsOfServer } from './integration-store.ts'
import { createIntegrations, type Integrations } from './integrations.ts'
import { createRequestSigner, type RequestSigner } from './request-signature.ts'
import { secretRoute } from './secret-routes.ts'

interface ApplicationsApi {
  applications: Applications
  bots: Bots
  integrations: Integrations
  commands: Commands
  /** Signs requests to an interactions endpoint. */
  sign: RequestSigner
}

export function createApplicationsModule(deps: Deps): Module<ApplicationsApi> {
  const sign = createRequestSigner(deps)
  const applications = createApplications(deps, sign)
  const bots = createBots(deps)
  const integrations = createIntegrations(deps)
  const commands = createCommands(deps)
  const boundApplications = createBoundApplications(deps)
  return {
    api: { applications, bots, integrations, commands, sign },
    routes: [
      ...applicationRoutes(applications, bots),
      iconRoute(applications),
      secretRoute(applications),
      ...botRoutes(bots),
      ...commandRoutes(commands),
      ...commandPermissionRoutes(createCommandPermissions(deps)),
      integrationRoute(integrations),
      ...boundApplicationRoutes(boundApplications),
    ],
    sweeps: [() => applications.sweep(), () => sweepDeleted(deps.db, deletedCommands)],
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
      { name: 'bound-applications', handlers: { OwnershipAccepted: boundApplications.onOwnershipAccepted } },
      { name: 'bots', handlers: { UserDisabled: (tx, { userId }) => bots.closeConnections(tx, userId) } },
    ],
  }
}
