import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { eachService } from '@gatehouse/testkit/service'
import { assertWhole } from '../objects/whole-objects-testing.ts'
import { bit, createDiscordWorld, identifyDiscord, nextEvent } from './discord-gateway-testing.ts'

eachService(
  "invites and webhooks have the events of Discord's intents (discord/gateway-events, discord/intents)",
  async (_t, service) => {
    const { ada, bot, server, general } = await createDiscordWorld(service)
    await addBot(ada.client, bot.applicationId, server.id, Permission.ADMINISTRATOR)
    const { token } = bot
    const session = await identifyDiscord(service, { token, intents: bit.invites | bit.webhooks })
    const other = await identifyDiscord(service, { token, intents: bit.moderation })
    const client = service.client()
    const post = async (path: string, body: object) =>
      (
        await client.json('POST', `/api/v10/channels/${general.id}${path}`, body, {
          authorization: `Bot ${token}`,
        })
      ).body
    const invite = await post('/invites', { max_age: 3600, max_uses: 5 })
    const created = await nextEvent(session, 'INVITE_CREATE')
    assertWhole('inviteEvent', created)
    const { channel: _channel, guild: _guild, type: _type, flags: _flags, roles: _roles, ...values } = invite
    assert.deepEqual(created, { ...values, channel_id: general.id, guild_id: server.id, role_ids: [] })
    await client.json('DELETE', `/api/v10/invites/${invite.code}`, undefined, {
      authorization: `Bot ${token}`,
    })
    const place = { channel_id: general.id, guild_id: server.id }
    const deleted = await nextEvent(session, 'INVITE_DELETE')
    assertWhole('removedInvite', deleted)
    assert.deepEqual(deleted, { ...place, code: invite.code })
    await post('/webhooks', { name: 'Builds' })
    const changed = await nextEvent(session, 'WEBHOOKS_UPDATE')
    assertWhole('changedWebhooks', changed)
    assert.deepEqual(changed, place)
    for (let i = 0; i < 3; i++) assert.equal((await other.nextDispatch()).t, 'GUILD_AUDIT_LOG_ENTRY_CREATE')
  },
)
