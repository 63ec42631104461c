import type { Core, Module } from '../core.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { Members } from '../platform/members/index.ts'
import type { Users } from '../platform/users/index.ts'
import { createApplications } from './applications.ts'
import { type Bots, createBots } from './bot.ts'
import { createCommands } from './commands.ts'
import { createIntegrations, type Integrations } from './integrations.ts'
import { applicationsRoutes } from './routes/applications.ts'
import { botRoutes } from './routes/bot.ts'
import { commandsRoutes } from './routes/commands.ts'
import { iconRoute } from './routes/icon.ts'
import { integrationsRoute } from './routes/integrations.ts'
import { secretRoute } from './routes/secret.ts'
import { createRequestSigner, type RequestSigner } from './signature.ts'

interface ModuleDeps {
  users: Pick<Users, 'createBotUser' | 'deleteBotUser' | 'requireVerified'>
  members: Pick<Members, 'addBot' | 'deleteMember'>
  outgoing: Pick<Outgoing, 'post' | 'isAllowed'>
}

interface ApplicationsApi {
  bots: Bots
  integrations: Integrations
  /** Signs requests to an interactions endpoint. */
  sign: RequestSigner
}

export function createApplicationsModule(
  core: Core,
  { users, members, outgoing }: ModuleDeps,
): Module<ApplicationsApi> {
  const { db, clock, ids, sealer, events, domainEvents } = core
  const sign = createRequestSigner({ sealer, clock })
  const applications = createApplications({
    db,
    clock,
    ids,
    sealer,
    events,
    domainEvents,
    outgoing,
    users,
    members,
    sign,
  })
  const bots = createBots({ db, events, users })
  const commands = createCommands({ db, clock, ids, events })
  const integrations = createIntegrations({ db, clock, events, members })
  return {
    api: { bots, integrations, sign },
    routes: [
      ...applicationsRoutes(applications),
      iconRoute(applications),
      secretRoute(applications),
      ...botRoutes(bots),
      ...commandsRoutes(commands),
      integrationsRoute(integrations),
    ],
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
