import { findUser, userView } from '../../accounts/users/index.ts'
import { findValidApplication } from '../../applications/index.ts'
import { countServersOfUser } from '../../community/servers/index.ts'
import { notFound } from '../../errors/app-error.ts'
import type { BotCaller } from '../../http/caller.ts'
import type { Route } from '../../http/route.ts'
import type { Sql } from '../../storage/database.ts'
import type { DeclareBotRoute } from '../bot-route.ts'
import { toDiscordApplication } from '../objects/discord-application.ts'
import { refuseMembers } from '../request-members.ts'

export function discordApplicationRoutes(botRoute: DeclareBotRoute, { db }: { db: Sql }): Route[] {
  const declare = (path: 'GET /applications/@me' | 'GET /oauth2/applications/@me') =>
    botRoute(path, {
      summary: 'Returns the application of the bot.',
      missing: 'application',
      handle: ({ caller }) => describe(db, caller),
    })
  return [
    declare('GET /applications/@me'),
    declare('GET /oauth2/applications/@me'),
    botRoute('PATCH /applications/@me', {
      summary: 'Changes the description of the application.',
      missing: 'application',
      async handle({ run, caller, members }) {
        const { description, ...others } = members()
        refuseMembers(others, Object.keys(others))
        await run('updateOwnApplication', { body: { description: description ?? undefined } })
        return describe(db, caller)
      },
    }),
  ]
}

async function describe(sql: Sql, { applicationId, userId }: BotCaller) {
  const application = await findValidApplication(sql, applicationId)
  if (application === undefined) throw notFound()
  const [owner, bot, guildCount] = await Promise.all([
    findUser(sql, application.ownerId),
    findUser(sql, userId),
    countServersOfUser(sql, userId),
  ])
  if (owner === undefined || bot === undefined) throw notFound()
  return toDiscordApplication(application, { owner: userView(owner), bot: userView(bot), guildCount })
}
