import { maxInviteSeconds, maxListLimit } from '@gatehouse/protocol/limits'
import { type Invites, inviteCode } from '../../community/invites/index.ts'
import { notFound } from '../../errors/app-error.ts'
import { readAuditReason } from '../../http/audit-reason.ts'
import type { Route } from '../../http/route.ts'
import type { Clock } from '../../kit/clock.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { toInvitePreview, toInviteWithMetadata } from '../objects/discord-invite.ts'
import { refuseMembers } from '../request-members.ts'

export interface InviteRouteDeps {
  clock: Clock
  revokeInvite: Invites['revokeInvite']
}

export function discordInviteRoutes(
  botRoute: DeclareBotRoute,
  { clock, revokeInvite }: InviteRouteDeps,
): Route[] {
  return [
    botRoute('GET /guilds/:guildId/invites', {
      summary: 'Lists the newest invites of a server.',
      missing: 'guild',
      async handle({ run, params: { guildId: id = '' } }) {
        const invites = await run('listInvites', { params: { id }, query: { limit: maxListLimit } })
        const server = await run('getServer', { params: { id } })
        const channels = new Map(
          (await run('listChannels', { params: { id } })).map(channel => [channel.id, channel]),
        )
        return invites.map(invite =>
          toInviteWithMetadata(invite, server, channels.get(invite.channelId ?? '')),
        )
      },
    }),
    botRoute('GET /channels/:channelId/invites', {
      summary: 'Lists the newest invites of a channel.',
      missing: 'channel',
      async handle({ run, params: { channelId = '' } }) {
        const channel = await run('getChannel', { params: { id: channelId } })
        if (channel.serverId === null) throw notFound()
        const params = { id: channel.serverId }
        const query = { limit: maxListLimit, channelId: channel.id }
        const invites = await run('listInvites', { params, query })
        const server = await run('getServer', { params })
        return invites.map(invite => toInviteWithMetadata(invite, server, channel))
      },
    }),
    botRoute('POST /channels/:channelId/invites', {
      summary: 'Creates an invite of the server of the channel.',
      missing: 'channel',
      handle: request => createInvite(request, clock),
    }),
    botRoute('GET /invites/:code', {
      summary: 'Returns the server of an invite.',
      missing: 'invite',
      handle: async ({ run, params: { code = '' } }) =>
        toInvitePreview(await run('getInvite', { params: { code } })),
    }),
    botRoute('DELETE /invites/:code', {
      summary: 'Revokes an invite.',
      missing: 'invite',
      async handle({ run, caller, params: { code = '' }, request }) {
        if (!inviteCode.test(code)) throw notFound()
        const reason = readAuditReason(request.headers) ?? caller.reason
        const invite = await revokeInvite({ userId: caller.userId, reason }, code)
        const server = await run('getServer', { params: { id: invite.serverId } })
        const { channelId: id } = invite
        const channel = id === null ? undefined : await run('getChannel', { params: { id } })
        return toInviteWithMetadata(invite, server, channel)
      },
    }),
  ]
}

const defaultSeconds = 86_400

/** 0 seconds are the longest time, because every invite expires here: the response says when. */
async function createInvite({ run, params, members }: BotRequest, clock: Clock) {
  const given = members()
  refuseMembers(given, ['temporary', 'target_type', 'target_user_id', 'target_application_id', 'role_ids'])
  const channel = await run('getChannel', { params: { id: params.channelId ?? '' } })
  if (channel.serverId === null) throw notFound()
  const [age, uses] = [given.max_age ?? defaultSeconds, given.max_uses ?? 0]
  const body = {
    expiresIn: age === 0 ? maxInviteSeconds : age,
    ...(uses === 0 ? {} : { maxUses: uses }),
    // Of a category, it is an invite for the server.
    ...(channel.type === 'text' ? { channelId: channel.id } : {}),
  }
  const createdAt = new Date(clock()).toISOString()
  const invite = await run('createInvite', { params: { id: channel.serverId }, body })
  const server = await run('getServer', { params: { id: channel.serverId } })
  const maxUses = typeof uses === 'number' && uses > 0 ? uses : null
  const creator = await run('getCurrentUser', {})
  const metadata = { creator, uses: 0, maxUses, createdAt, channelId: channel.id }
  return toInviteWithMetadata({ ...invite, ...metadata }, server, channel)
}
