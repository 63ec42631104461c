import assert from 'node:assert/strict'
import { anyMention, usersOnly } from '@gatehouse/protocol/mentions'
import { eachEngine } from '../../storage/testing.ts'
import { createCommunity } from '../testing.ts'
import { resolveMentions } from './mentions.ts'

const nobody = { users: [], roles: [], everyone: false }

eachEngine('those are notified who are mentioned, are there, and may be (D36)', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.person('ann'),
    await community.person('bob'),
    await community.person('eve'),
  ]
  const { server, general } = await community.server(ann, bob)
  const other = await community.server(eve)
  const role = await community.roles.createRole(ann, server.id, { name: 'Crew', permissions: '0' })
  const content = `@everyone <@${bob}> <@!${bob}> <@${eve}> <@&${role.id}> <@&${other.server.id}> \`<@${ann}>\``
  const context = { content, allowed: undefined, channelId: general.id, serverId: server.id }

  assert.deepEqual(await resolveMentions(db, { ...context, default: anyMention, mayMentionEveryone: true }), {
    users: [bob],
    roles: [role.id],
    everyone: true,
  })
  assert.deepEqual(
    await resolveMentions(db, { ...context, default: anyMention, mayMentionEveryone: false }),
    { users: [bob], roles: [], everyone: false },
  )
  assert.deepEqual(await resolveMentions(db, { ...context, default: usersOnly, mayMentionEveryone: true }), {
    users: [bob],
    roles: [],
    everyone: false,
  })
  const asked = { ...context, default: usersOnly, mayMentionEveryone: true }
  assert.deepEqual(await resolveMentions(db, { ...asked, allowed: { parse: ['roles', 'everyone'] } }), {
    users: [],
    roles: [role.id],
    everyone: true,
  })
  assert.deepEqual(await resolveMentions(db, { ...asked, allowed: { parse: [] } }), nobody)
  assert.deepEqual(await resolveMentions(db, { ...asked, allowed: { users: [ann] } }), nobody)
  assert.deepEqual(await resolveMentions(db, { ...asked, content: 'nobody at all' }), nobody)
})

eachEngine('in a direct message only the two can be mentioned', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.person('ann'),
    await community.person('bob'),
    await community.person('eve'),
  ]
  const { channel } = await db.transaction(tx => community.directMessages.openDirectMessage(tx, ann, bob))
  const { server } = await community.server(ann)
  const mentions = await resolveMentions(db, {
    content: `<@${ann}> <@${bob}> <@${eve}> <@&${server.id}> @here`,
    allowed: undefined,
    default: anyMention,
    channelId: channel.id,
    serverId: null,
    mayMentionEveryone: false,
  })
  assert.deepEqual(mentions, { users: [ann, bob], roles: [], everyone: false })
})
