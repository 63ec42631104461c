import { isAbsent, type JsonObject } from '@gatehouse/protocol/json-object'
import { invalid } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { channelTypes, toDiscordChannel } from '../objects/discord-channel.ts'
import { refuseMembers, rename, toId, toOverwriteBody, toOverwrites } from '../request-members.ts'

export function discordChannelRoutes(botRoute: DeclareBotRoute): Route[] {
  return [
    botRoute('GET /channels/:channelId', {
      summary: 'Returns a channel or a direct message.',
      missing: 'channel',
      handle: async ({ run, params: { channelId: id = '' } }) =>
        toDiscordChannel(await run('getChannel', { params: { id } })),
    }),
    botRoute('PATCH /channels/:channelId', {
      summary: 'Changes a channel, its category and its overwrites.',
      missing: 'channel',
      handle: updateChannel,
    }),
    botRoute('DELETE /channels/:channelId', {
      summary: 'Deletes a channel.',
      missing: 'channel',
      async handle({ run, params: { channelId: id = '' } }) {
        const channel = await run('getChannel', { params: { id } })
        await run('deleteChannel', { params: { id } })
        return toDiscordChannel(channel)
      },
    }),
    botRoute('PUT /channels/:channelId/permissions/:overwriteId', {
      summary: 'Creates or replaces the overwrite of a role or member.',
      missing: 'overwrite',
      async handle({ run, params: { channelId: id = '', overwriteId: targetId = '' }, members }) {
        const given = members()
        const { permissionOverwrites } = await run('getChannel', { params: { id } })
        const stored = permissionOverwrites.find(overwrite => overwrite.id === targetId)
        await run('putOverwrite', { params: { id, targetId }, body: toOverwriteBody(given, stored) })
      },
    }),
    botRoute('DELETE /channels/:channelId/permissions/:overwriteId', {
      summary: 'Deletes the overwrite of a role or member.',
      missing: 'overwrite',
      handle: ({ run, params: { channelId: id = '', overwriteId: targetId = '' } }) =>
        run('deleteOverwrite', { params: { id, targetId } }),
    }),
    botRoute('POST /channels/:channelId/typing', {
      summary: 'Does nothing: nobody sees who is typing.',
      missing: 'channel',
      async handle({ run, params: { channelId: id = '' } }) {
        await run('getChannel', { params: { id } })
      },
    }),
    botRoute('GET /guilds/:guildId/channels', {
      summary: 'Lists the channels that the bot can view.',
      missing: 'guild',
      handle: async ({ run, params: { guildId: id = '' } }) =>
        (await run('listChannels', { params: { id } })).map(toDiscordChannel),
    }),
    botRoute('POST /guilds/:guildId/channels', {
      summary: 'Creates a channel with its overwrites.',
      missing: 'guild',
      handle: createChannel,
    }),
    botRoute('PATCH /guilds/:guildId/channels', {
      summary: 'Changes the order and the categories of channels.',
      missing: 'guild',
      handle: ({ run, params: { guildId: id = '' }, entries }) =>
        run('moveChannels', { params: { id }, body: entries().map(toMove) }),
    }),
  ]
}

/**
 * The members of a thread, which is no channel here. Those of other types of channels, `nsfw` and the durations of
 * threads are ignored: libraries send them with every channel.
 */
const unsupportedMembers = ['archived', 'locked']

/** Null is no topic, no slow mode, and no position. */
function toChanges(given: JsonObject): Record<string, unknown> {
  const { position, rate_limit_per_user: slowMode } = given
  return {
    ...rename(given, { name: 'name', topic: 'topic' }),
    ...(isAbsent(position) ? {} : { position }),
    ...(slowMode === undefined ? {} : { slowMode: slowMode ?? 0 }),
  }
}

async function updateChannel({ run, params: { channelId: id = '' }, members }: BotRequest) {
  const body = members()
  const channel = await run('getChannel', { params: { id } })
  refuseMembers(body, unsupportedMembers)
  if (!isAbsent(body.type) && body.type !== channelTypes[channel.type]) {
    throw invalid('type', 'not_supported', 'cannot be changed')
  }
  const { parent_id: parent, permission_overwrites: overwrites } = body
  const changes = {
    ...toChanges(body),
    ...(parent === undefined ? {} : { parentId: toId(parent) }),
    ...(overwrites ? { permissionOverwrites: toOverwrites(overwrites, channel.permissionOverwrites) } : {}),
  }
  // Also without changes, so that it requires the permission.
  return toDiscordChannel(await run('updateChannel', { params: { id }, body: changes }))
}

async function createChannel({ run, params: { guildId: id = '' }, members }: BotRequest) {
  const given = members()
  refuseMembers(given, unsupportedMembers)
  const number = toId(given.type ?? channelTypes.text)
  const type = (['text', 'category'] as const).find(each => String(channelTypes[each]) === number)
  if (type === undefined) throw invalid('type', 'not_supported', 'must be 0 (text) or 4 (category)')
  const { parent_id: parent, permission_overwrites: overwrites } = given
  const body = {
    type,
    ...toChanges(given),
    ...(parent ? { parentId: toId(parent) } : {}),
    ...(overwrites ? { permissionOverwrites: toOverwrites(overwrites) } : {}),
  }
  return toDiscordChannel(await run('createChannel', { params: { id }, body }))
}

function toMove(given: Readonly<Record<string, unknown>>): object {
  const { parent_id: parent, lock_permissions: lock, position } = given
  return {
    id: toId(given.id),
    ...(isAbsent(position) ? {} : { position }),
    ...(parent === undefined ? {} : { parentId: toId(parent) }),
    ...(isAbsent(lock) ? {} : { lockPermissions: lock }),
  }
}
