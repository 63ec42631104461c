import assert from 'node:assert/strict'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachDatabase } from '@gatehouse/testkit/databases'
import { migrate } from '../../storage/migrate.ts'
import { listReadStates } from './index.ts'

eachDatabase('the migration marks all existing messages as read', async (_t, { db, url }) => {
  const { createUser, createServer, directMessages, messages } = createCommunity(db)
  const [ann, bob] = [await createUser('ann'), await createUser('bob')]
  const { general } = await createServer(ann, bob)
  const { channel } = await directMessages.openDirectMessage(ann, bob)
  const send = (channelId: string, content: string) =>
    messages.createMessage({ kind: 'session', userId: ann }, channelId, { content })
  await send(general.id, `<@${bob}> before`)
  await send(channel.id, 'before')

  // The schema before the migration.
  await db.run`DROP TABLE mentions`
  await db.run`DROP TABLE read_marks`
  await db.run`ALTER TABLE members DROP COLUMN read_to`
  await db.run`DELETE FROM migrations WHERE name = '0011-read-state'`
  assert.deepEqual(await migrate(url), ['0011-read-state'])

  const readStates = async () => {
    const states = await listReadStates(db, bob, [general.id, channel.id])
    return states.map(({ lastMessageId, lastReadId, mentionCount }) => [
      lastMessageId !== null && lastMessageId > lastReadId,
      mentionCount,
    ])
  }
  assert.deepEqual(await readStates(), [
    [false, 0],
    [false, 0],
  ])
  await send(general.id, `<@${bob}> after`)
  await send(channel.id, 'after')
  assert.deepEqual(await readStates(), [
    [true, 1],
    [true, 1],
  ])
})
