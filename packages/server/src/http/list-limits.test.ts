import assert from 'node:assert/strict'
import { oldIds } from '@gatehouse/testkit/caps'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

eachService('a list without `limit` has up to 50 entries', async (_t, service) => {
  const owner = await register(service, 'owner')
  const { server, general } = await createServer(owner)
  const channelId = general.id
  const now = service.clock.now()
  const { db } = service
  await db.transaction(async tx => {
    for (const id of oldIds(60)) {
      await tx.run`
        INSERT INTO users (id, username, display_name, email_verified, bot, created_at)
        VALUES (${id}, ${`u${id}`}, 'Someone', 0, 0, ${now})`
      await tx.run`INSERT INTO members (server_id, user_id, joined_at) VALUES (${server.id}, ${id}, ${now})`
      await tx.run`INSERT INTO bans (server_id, user_id) VALUES (${server.id}, ${id})`
      await tx.run`
        INSERT INTO invites (code, server_id, creator_id, uses, created_at, expires_at)
        VALUES (${id}, ${server.id}, ${owner.id}, 0, ${now}, ${now + 60_000})`
      await tx.run`
        INSERT INTO messages (id, channel_id, server_id, author_id, content, embeds, components, mentions, state,
          created_at)
        VALUES (${id}, ${channelId}, ${server.id}, ${owner.id}, 'Hi', '[]', '[]', '', 'sent', ${now})`
      await tx.run`
        INSERT INTO channels (id, type, position, created_at) VALUES (${id}, 'dm', 0, ${now})`
      await tx.run`INSERT INTO dm_members (user_id, recipient_id, channel_id) VALUES (${owner.id}, ${id}, ${id})`
      await tx.run`INSERT INTO dm_members (user_id, recipient_id, channel_id) VALUES (${id}, ${owner.id}, ${id})`
    }
  })
  for (const path of [
    `/api/servers/${server.id}/members`,
    `/api/servers/${server.id}/bans`,
    `/api/servers/${server.id}/invites`,
    `/api/channels/${channelId}/messages`,
    '/api/users/@me/channels',
  ]) {
    const lengths = []
    for (const query of ['', '?limit=55']) lengths.push((await owner.client.get(path + query)).body.length)
    assert.deepEqual(lengths, [50, 55], path)
  }
})
