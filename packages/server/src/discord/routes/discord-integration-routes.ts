import { permissionFor } from '@gatehouse/protocol/permissions'
import { findApplication } from '../../applications/index.ts'
import { requireServer } from '../../community/permissions/index.ts'
import type { Route } from '../../http/route.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Sql } from '../../storage/database.ts'
import type { DeclareBotRoute } from '../bot-route.ts'
import { toDiscordIntegration } from '../objects/discord-integration.ts'

export function discordIntegrationRoutes(
  botRoute: DeclareBotRoute,
  { db, clock }: { db: Sql; clock: Clock },
): Route[] {
  return [
    botRoute('GET /guilds/:guildId/integrations', {
      summary: 'Lists the applications on a server with their bots.',
      missing: 'guild',
      async handle({ caller, run, params: { guildId: id = '' } }) {
        const integrations = await run('listIntegrations', { params: { id } })
        // Here every member may read them.
        await requireServer(db, clock(), caller.userId, id, permissionFor.manageBots)
        return Promise.all(
          integrations.map(async integration => {
            const application = await findApplication(db, integration.application.id)
            return toDiscordIntegration(integration, application?.description ?? '')
          }),
        )
      },
    }),
  ]
}
