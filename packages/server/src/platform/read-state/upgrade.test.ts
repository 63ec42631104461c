import assert from 'node:assert/strict'
import { migrate } from '../../storage/migrate.ts'
import { eachDatabase } from '../../storage/testing.ts'
import { createCommunity } from '../testing.ts'
import { readStatesOf } from './read-state.ts'

eachDatabase('what was said before there were marks counts as read', async (_t, { db, url }) => {
  const { person, server, directMessages, conversation } = createCommunity(db)
  const [ann, bob] = [await person('ann'), await person('bob')]
  const { general } = await server(ann, bob)
  const { channel } = await directMessages.openFor(ann, bob)
  const say = (channelId: string, content: string) =>
    conversation.say({ kind: 'session', userId: ann }, channelId, { content })
  await say(general.id, `<@${bob}> before`)
  await say(channel.id, 'before')

  // As it was before the migration.
  await db.run`DROP TABLE mentions`
  await db.run`DROP TABLE read_marks`
  await db.run`ALTER TABLE members DROP COLUMN read_to`
  await db.run`DELETE FROM migrations WHERE name = '0011-read-state'`
  assert.deepEqual(await migrate(url), ['0011-read-state'])

  const ofBob = async () => {
    const states = await readStatesOf(db, bob, [general.id, channel.id])
    return states.map(({ lastMessageId, lastReadId, mentionCount }) => [
      lastMessageId !== null && lastMessageId > lastReadId,
      mentionCount,
    ])
  }
  assert.deepEqual(await ofBob(), [
    [false, 0],
    [false, 0],
  ])
  await say(general.id, `<@${bob}> after`)
  await say(channel.id, 'after')
  assert.deepEqual(await ofBob(), [
    [true, 1],
    [true, 1],
  ])
})
