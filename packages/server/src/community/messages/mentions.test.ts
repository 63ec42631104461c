import assert from 'node:assert/strict'
import { anyMention, usersOnly } from '@gatehouse/protocol/mentions'
import { Permission } from '@gatehouse/protocol/permissions'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { listReadStates } from '../read-state/index.ts'
import { resolveMentions } from './mentions.ts'

const none = { users: [], roles: [], everyone: false }

eachEngine(
  'resolves mentions of users and roles in the server that the request allows (webhooks/mentions)',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bob, eve] = [
      await community.createUser('ann'),
      await community.createUser('bob'),
      await community.createUser('eve'),
    ]
    const { server, general } = await community.createServer(ann, bob)
    const other = await community.createServer(eve)
    const role = await community.roles.createRole({ userId: ann }, server.id, {
      name: 'Crew',
      permissions: '0',
    })
    const content = `@everyone <@${bob}> <@!${bob}> <@${eve}> <@&${role.id}> <@&${other.server.id}> \`<@${ann}>\``
    const context = { content, allowedMentions: undefined, channelId: general.id, serverId: server.id }

    assert.deepEqual(
      await resolveMentions(db, { ...context, defaultMentions: anyMention, canMentionEveryone: true }),
      {
        users: [bob],
        roles: [role.id],
        everyone: true,
      },
    )
    assert.deepEqual(
      await resolveMentions(db, { ...context, defaultMentions: anyMention, canMentionEveryone: false }),
      { users: [bob], roles: [], everyone: false },
    )
    assert.deepEqual(
      await resolveMentions(db, { ...context, defaultMentions: usersOnly, canMentionEveryone: true }),
      {
        users: [bob],
        roles: [],
        everyone: false,
      },
    )
    const botContext = { ...context, defaultMentions: usersOnly, canMentionEveryone: true }
    assert.deepEqual(
      await resolveMentions(db, { ...botContext, allowedMentions: { parse: ['roles', 'everyone'] } }),
      {
        users: [],
        roles: [role.id],
        everyone: true,
      },
    )
    assert.deepEqual(await resolveMentions(db, { ...botContext, allowedMentions: { parse: [] } }), none)
    assert.deepEqual(await resolveMentions(db, { ...botContext, allowedMentions: { users: [ann] } }), none)
    assert.deepEqual(await resolveMentions(db, { ...botContext, content: 'no mention' }), none)
  },
)

eachEngine('drops mentions of users who cannot view the channel', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, cem] = [
    await community.createUser('ann'),
    await community.createUser('bob'),
    await community.createUser('cem'),
  ]
  const { server, general } = await community.createServer(ann, bob, cem)
  const { overwrites, messages } = community
  const view = Permission.VIEW_CHANNEL.toString()
  const content = `<@${ann}> <@${bob}> <@${cem}>`
  await overwrites.putOverwrite({ userId: ann }, general.id, server.id, {
    type: 'role',
    allow: '0',
    deny: view,
  })
  await overwrites.putOverwrite({ userId: ann }, general.id, bob, { type: 'member', allow: view, deny: '0' })
  const message = await messages.createMessage({ kind: 'session', userId: ann }, general.id, { content })
  assert.deepEqual(message.mentions, { users: [ann, bob], roles: [], everyone: false })

  // A user who can view the channel later gets no mention from before.
  await overwrites.deleteOverwrite({ userId: ann }, general.id, server.id)
  const [state] = await listReadStates(db, cem, [general.id])
  assert.equal(state?.mentionCount, 0)
})

eachEngine('in a direct message, resolves only mentions of its two users', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.createUser('ann'),
    await community.createUser('bob'),
    await community.createUser('eve'),
  ]
  const { server } = await community.createServer(ann, bob)
  const { channel } = await community.directMessages.openDirectMessage(ann, bob)
  const mentions = await resolveMentions(db, {
    content: `<@${ann}> <@${bob}> <@${eve}> <@&${server.id}> @here`,
    allowedMentions: undefined,
    defaultMentions: anyMention,
    channelId: channel.id,
    serverId: null,
    canMentionEveryone: false,
  })
  assert.deepEqual(mentions, { users: [ann, bob], roles: [], everyone: false })
})
