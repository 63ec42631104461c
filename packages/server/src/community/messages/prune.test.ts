import assert from 'node:assert/strict'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { listReadStates } from '../read-state/index.ts'
import { countMessagesBefore, deleteMessagesBefore } from './index.ts'

const dayMs = 24 * 60 * 60 * 1000

eachEngine('community/prune: deletes only older messages, with their mentions', async (_t, db) => {
  const { clock, createUser, createServer, directMessages, messages } = createCommunity(db)
  const [ann, bob] = [await createUser('ann'), await createUser('bob')]
  const { general } = await createServer(ann, bob)
  const { channel: direct } = await directMessages.openDirectMessage(ann, bob)
  const caller = { kind: 'session', userId: ann } as const
  async function send(content: string): Promise<void> {
    for (const { id } of [general, direct]) await messages.createMessage(caller, id, { content })
  }
  async function readStates() {
    const states = await listReadStates(db, bob, [general.id, direct.id])
    return states.map(({ lastMessageId, mentionCount }) => [lastMessageId !== null, mentionCount])
  }
  clock.advance(1)
  for (const n of [1, 2, 3]) await send(`<@${bob}> old ${n}`)
  clock.advance(dayMs)
  const time = clock.now()
  await send(`<@${bob}> new`)
  assert.deepEqual(await readStates(), [
    [true, 4],
    [true, 4],
  ])

  assert.equal(await countMessagesBefore(db, time), 6)
  const progress: number[] = []
  const remove = (before: number) => deleteMessagesBefore(db, before, deleted => progress.push(deleted), 4)
  assert.equal(await remove(time), 6)
  assert.deepEqual(progress, [4, 6])
  const left = await db.all<{ content: string }>`SELECT content FROM messages`
  assert.deepEqual(
    left.map(({ content }) => content),
    [`<@${bob}> new`, `<@${bob}> new`],
  )
  assert.deepEqual(await db.all`SELECT target_id FROM mentions`, [{ targetId: bob }])
  assert.deepEqual(await readStates(), [
    [true, 1],
    [true, 1],
  ])

  assert.equal(await remove(time), 0)
  clock.advance(dayMs)
  assert.equal(await remove(clock.now()), 2)
  assert.deepEqual(await readStates(), [
    [false, 0],
    [false, 0],
  ])
})

eachEngine('a time from which ids have fewer digits deletes no later message', async (_t, db) => {
  const { createUser, createServer, messages } = createCommunity(db)
  const ann = await createUser('ann')
  const { general } = await createServer(ann)
  await messages.createMessage({ kind: 'session', userId: ann }, general.id, { content: 'kept' })
  const time = Date.UTC(2021, 0)
  assert.equal(await countMessagesBefore(db, time), 0)
  assert.equal(await deleteMessagesBefore(db, time, () => undefined), 0)
})
