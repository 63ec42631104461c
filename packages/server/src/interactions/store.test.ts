import assert from 'node:assert/strict'
import { createSnowflakes, snowflakeAt } from '../kit/snowflake.ts'
import { createTestClock } from '../kit/testing.ts'
import type { Database } from '../storage/database.ts'
import { eachEngine } from '../storage/testing.ts'
import * as store from './store.ts'

const deadlineMs = 3000
const expiresMs = 900_000

async function setUp(db: Database) {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const [ownerId, applicationId, otherId] = [ids(), ids(), ids()]
  await db.run`
    INSERT INTO users (id, username, display_name, bot, created_at) VALUES (${ownerId}, 'ada', 'Ada', 0, 0)`
  for (const id of [applicationId, otherId]) {
    await db.run`
      INSERT INTO applications (id, owner_id, name, description, type, redirect_uris, allow_loopback_port, public_key,
        private_key_sealed, commands_version, created_at)
      VALUES (${id}, ${ownerId}, 'App', '', 'public', '[]', 0, '', '', 0, 0)`
  }
  async function add(more: Partial<store.InteractionRecord> = {}): Promise<store.InteractionRecord> {
    const createdAt = clock.now()
    const interaction: store.InteractionRecord = {
      id: ids(),
      tokenHash: 'hash',
      applicationId,
      channelId: '1000000000000000001',
      serverId: '1000000000000000002',
      userId: ownerId,
      type: 'command',
      name: 'ping',
      nonce: null,
      pressed: undefined,
      event: '{}',
      delivery: 'gateway',
      state: 'pending',
      reason: null,
      response: null,
      respondedAt: null,
      original: undefined,
      createdAt,
      deadlineAt: createdAt + deadlineMs,
      expiresAt: createdAt + expiresMs,
      ...more,
    }
    assert.equal(await store.insertInteraction(db, interaction), true)
    return interaction
  }
  const find = (id: string) => store.findInteraction(db, id)
  return { clock, ids, applicationId, otherId, add, find }
}

const taken = (now: number) => ({ state: 'answered', response: 'message', original: undefined, now }) as const

eachEngine('what is kept comes back', async (_t, db) => {
  const { add, find, ids } = await setUp(db)
  const all = await add({
    nonce: 'n',
    pressed: { id: ids(), ephemeral: true },
    original: { id: ids(), ephemeral: true },
    serverId: null,
    type: 'component',
    response: 'defer',
    respondedAt: 5,
    reason: 'why',
    state: 'deferred',
  })
  assert.deepEqual(await find(all.id), all)
  const least = await add()
  assert.deepEqual(await find(least.id), least)
  assert.equal(await find(ids()), undefined)
})

eachEngine('of 200 first responses at once one wins (check 68)', async (_t, db) => {
  const { add, find, clock } = await setUp(db)
  const { id } = await add()
  const results = await Promise.all(
    Array.from({ length: 200 }, () => store.takeFirst(db, id, taken(clock.now()))),
  )
  assert.equal(results.filter(won => won).length, 1)
  assert.equal((await find(id))?.state, 'answered')
})

eachEngine(
  'at the deadline itself the response loses and the time-out wins, never both (check 67)',
  async (_t, db) => {
    const { add, clock } = await setUp(db)
    for (const late of [-1, 0, 1]) {
      const { id, deadlineAt, userId } = await add()
      const now = deadlineAt + late
      const [won, timedOut] = await Promise.all([
        store.takeFirst(db, id, taken(now)),
        store.timeOut(db, id, now),
      ])
      assert.equal(won, late < 0)
      assert.deepEqual(timedOut, late < 0 ? undefined : { id, userId, nonce: null })
    }
    assert.equal(await store.timeOut(db, '1', clock.now()), undefined)
  },
)

eachEngine('of 50 that take the placeholder one wins', async (_t, db) => {
  const { add, ids, clock } = await setUp(db)
  const original = { id: ids(), ephemeral: false }
  const { id, expiresAt } = await add({ state: 'deferred', original })
  assert.equal(await store.takePlaceholder(db, id, expiresAt), undefined)
  const results = await Promise.all(
    Array.from({ length: 50 }, () => store.takePlaceholder(db, id, clock.now())),
  )
  assert.deepEqual(
    results.filter(result => result !== undefined),
    [{ placeholder: original }],
  )
})

eachEngine('of several with one nonce the first is kept', async (_t, db) => {
  const { add, find, ids } = await setUp(db)
  const first = await add({ nonce: 'n' })
  assert.equal(await store.insertInteraction(db, { ...first, id: ids() }), false)
  assert.equal(
    await store.insertInteraction(db, { ...first, id: ids(), channelId: '1000000000000000009' }),
    true,
  )
  const key = { userId: first.userId, channelId: first.channelId, nonce: 'n' }
  assert.deepEqual(await store.findByNonce(db, key), first)
  assert.deepEqual(await find(first.id), first)
  assert.equal(await store.findByNonce(db, { ...key, nonce: 'm' }), undefined)
})

eachEngine('what nobody saw time out is found, each by one of two that look', async (_t, db) => {
  const { add, clock } = await setUp(db)
  const open = [await add(), await add(), await add()]
  clock.advance(deadlineMs)
  await add()
  const found = await Promise.all([1, 2].map(() => store.timeOutAll(db, clock.now(), 2)))
  const rest = await store.timeOutAll(db, clock.now(), 10)
  const ids = [...found.flat(), ...rest].map(({ id }) => id)
  assert.deepEqual(ids.toSorted(), open.map(({ id }) => id).toSorted())
})

eachEngine('what was deferred and not followed up expires with its token', async (_t, db) => {
  const { add, find, ids, clock } = await setUp(db)
  const original = { id: ids(), ephemeral: true }
  const { id, userId, channelId } = await add({ state: 'deferred', original, nonce: 'n' })
  await add({ state: 'answered' })
  const expire = (now: number) => store.expireDeferred(db, { now, reason: 'late', limit: 10 })
  assert.deepEqual(await expire(clock.now() + expiresMs - 1), [])
  assert.deepEqual(await expire(clock.now() + expiresMs), [{ id, userId, nonce: 'n', channelId, original }])
  const after = await find(id)
  assert.deepEqual([after?.state, after?.reason], ['timed_out', 'late'])
})

eachEngine('a late response is noted once, and only where it was late', async (_t, db) => {
  const { add, find, clock } = await setUp(db)
  const { id, deadlineAt } = await add()
  await store.noteLate(db, id, { response: 'message', now: deadlineAt - 1 })
  assert.equal((await find(id))?.respondedAt, null)
  await store.noteLate(db, id, { response: 'defer', now: deadlineAt + 7 })
  await store.noteLate(db, id, { response: 'message', now: deadlineAt + 9 })
  const after = await find(id)
  assert.deepEqual([after?.response, after?.respondedAt], ['defer', deadlineAt + 7])
  const answered = await add({ state: 'answered', respondedAt: clock.now(), response: 'message' })
  await store.noteLate(db, answered.id, { response: 'defer', now: answered.deadlineAt })
  assert.deepEqual(await find(answered.id), answered)
})

eachEngine('a removed bot loses what is open on that server and no other token', async (_t, db) => {
  const { add, find, clock, applicationId, otherId } = await setUp(db)
  const serverId = '1000000000000000002'
  const old = await add()
  clock.advance(deadlineMs)
  const [pending, deferred, answered] = [
    await add(),
    await add({ state: 'deferred' }),
    await add({ state: 'answered' }),
  ]
  const [elsewhere, foreign] = [await add({ serverId: null }), await add({ applicationId: otherId })]
  const now = clock.now()
  const since = snowflakeAt(now - expiresMs)
  const failed = await store.revoke(db, { applicationId, serverId, since, reason: 'removed', now })
  assert.deepEqual(failed.map(({ id }) => id).toSorted(), [pending.id, deferred.id].toSorted())
  const states = await Promise.all([old, pending, deferred, answered].map(({ id }) => find(id)))
  assert.deepEqual(
    states.map(found => [found?.state, found?.tokenHash]),
    [
      ['pending', ''],
      ['failed', ''],
      ['failed', ''],
      ['answered', ''],
    ],
  )
  for (const other of [elsewhere, foreign]) assert.deepEqual(await find(other.id), other)
})

eachEngine('the last of an application are listed and kept, the rest goes in batches', async (_t, db) => {
  const { add, find, ids, clock, applicationId, otherId } = await setUp(db)
  const added: string[] = []
  for (let n = 0; n < 6; n++) added.push((await add()).id)
  const other = await add({ applicationId: otherId })
  const listed = await store.listInteractions(db, applicationId, 2)
  assert.deepEqual(
    listed.map(({ id }) => id),
    added.slice(-2),
  )
  const below = snowflakeAt(clock.now() + 1)
  const range = { from: added[0] ?? '', below }
  assert.deepEqual((await store.listApplications(db, range)).toSorted(), [applicationId, otherId].toSorted())
  const beyond = (limit: number) => store.deleteBeyond(db, applicationId, { kept: 2, below, limit })
  assert.deepEqual([await beyond(3), await beyond(3), await beyond(3)], [3, 1, 0])
  const left = await store.listInteractions(db, applicationId, 10)
  assert.deepEqual(
    left.map(({ id }) => id),
    added.slice(-2),
  )
  assert.deepEqual(await find(other.id), other)
  clock.advance(1)
  const young = await add({ id: ids() })
  assert.equal(await store.deleteBelow(db, below, 2), 2)
  assert.equal(await store.deleteBelow(db, below, 2), 1)
  assert.deepEqual(await find(young.id), young)
})
