import assert from 'node:assert/strict'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine } from '@gatehouse/testkit/databases'
import { createSnowflakes, timestampToSnowflake } from '../kit/snowflake.ts'
import type { Database } from '../storage/database.ts'
import * as store from './interaction-store.ts'

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
      INSERT INTO applications (id, owner_id, name, description, type, redirect_uris, allow_loopback_port,
        post_logout_redirect_uris, public_key, private_key_sealed, public_bot, privileged_intents, commands_version,
        created_at)
      VALUES (${id}, ${ownerId}, 'App', '', 'public', '[]', 0, '[]', '', '', 0, '[]', 0, 0)`
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
      sourceMessage: undefined,
      event: { user },
      delivery: 'gateway',
      state: 'pending',
      reason: undefined,
      response: null,
      respondedAt: null,
      original: undefined,
      modal: undefined,
      openedBy: null,
      createdAt,
      deadlineAt: createdAt + deadlineMs,
      expiresAt: createdAt + expiresMs,
      ...more,
    }
    assert.equal(await store.insertInteraction(db, interaction), true)
    const { state, reason, original, response, respondedAt } = interaction
    await db.run`
      UPDATE interactions SET state = ${state}, reason_code = ${reason?.code ?? null},
        reason_detail = ${reason?.detail ?? null}, original_id = ${original?.id ?? null},
        original_ephemeral = ${original?.ephemeral === true ? 1 : 0}, response = ${response},
        responded_at = CAST(${respondedAt} AS BIGINT)
      WHERE id = ${interaction.id}`
    return interaction
  }
  const find = (id: string) => store.findInteraction(db, id)
  return { clock, ids, applicationId, otherId, add, find }
}

const user = { id: '1', username: 'ada', displayName: 'Ada', avatar: '/ada' }
const answered = (now: number) =>
  ({ state: 'answered', response: 'message', original: undefined, now }) as const

eachEngine('stores and reads every field', async (_t, db) => {
  const { add, find, ids } = await setUp(db)
  const full = await add({
    nonce: 'n',
    sourceMessage: { id: ids(), ephemeral: true },
    original: { id: ids(), ephemeral: true },
    serverId: null,
    type: 'component',
    response: 'defer',
    respondedAt: 5,
    reason: { code: 'endpoint_failed', detail: 'why' },
    state: 'deferred',
  })
  assert.deepEqual(await find(full.id), full)
  const minimal = await add()
  assert.deepEqual(await find(minimal.id), minimal)
  assert.equal(await find(ids()), undefined)
})

eachEngine('exactly one of 200 concurrent first responses succeeds (bots/callback-once)', async (_t, db) => {
  const { add, find, clock } = await setUp(db)
  const { id } = await add()
  const results = await Promise.all(
    Array.from({ length: 200 }, () => store.claimFirstResponse(db, id, answered(clock.now()))),
  )
  assert.equal(results.filter(claimed => claimed).length, 1)
  assert.equal((await find(id))?.state, 'answered')
})

eachEngine(
  'before the deadline the response succeeds, from it on the timeout, never both (bots/deadline)',
  async (_t, db) => {
    const { add, clock } = await setUp(db)
    for (const late of [-1, 0, 1]) {
      const { id, deadlineAt, userId } = await add()
      const now = deadlineAt + late
      const [claimed, timedOut] = await Promise.all([
        store.claimFirstResponse(db, id, answered(now)),
        store.timeOutInteraction(db, id, now),
      ])
      assert.equal(claimed, late < 0)
      const expected = { id, userId, type: 'command', nonce: null, reasonCode: 'no_answer' }
      assert.deepEqual(timedOut, late < 0 ? undefined : expected)
    }
    assert.equal(await store.timeOutInteraction(db, '1', clock.now()), undefined)
  },
)

eachEngine('a timeout keeps and returns an earlier reason (bots/endpoint-failures)', async (_t, db) => {
  const { add, find, clock } = await setUp(db)
  const { id, deadlineAt } = await add({ reason: { code: 'unreachable' } })
  assert.equal((await store.timeOutInteraction(db, id, deadlineAt))?.reasonCode, 'unreachable')
  await add({ reason: { code: 'unreachable' } })
  await add()
  clock.advance(deadlineMs)
  const swept = await store.timeOutInteractions(db, clock.now(), 10)
  assert.deepEqual(swept.map(({ reasonCode }) => reasonCode).toSorted(), ['no_answer', 'unreachable'])
  for (const target of swept) assert.equal((await find(target.id))?.reason?.code, target.reasonCode)
})

eachEngine('exactly one of 50 concurrent requests claims the placeholder', async (_t, db) => {
  const { add, ids, clock } = await setUp(db)
  const original = { id: ids(), ephemeral: false }
  const { id, expiresAt } = await add({ state: 'deferred', original })
  assert.equal(await store.claimPlaceholder(db, id, expiresAt), undefined)
  const results = await Promise.all(
    Array.from({ length: 50 }, () => store.claimPlaceholder(db, id, clock.now())),
  )
  assert.deepEqual(
    results.filter(result => result !== undefined),
    [{ placeholder: original }],
  )
})

eachEngine('does not insert a second interaction with the same nonce', async (_t, db) => {
  const { add, find, ids } = await setUp(db)
  const first = await add({ nonce: 'n' })
  assert.equal(await store.insertInteraction(db, { ...first, id: ids() }), false)
  assert.equal(
    await store.insertInteraction(db, { ...first, id: ids(), channelId: '1000000000000000009' }),
    true,
  )
  const key = { userId: first.userId, channelId: first.channelId, nonce: 'n' }
  assert.deepEqual(await store.findInteractionByNonce(db, key), first)
  assert.deepEqual(await find(first.id), first)
  assert.equal(await store.findInteractionByNonce(db, { ...key, nonce: 'm' }), undefined)
})

eachEngine('two concurrent sweeps time out different interactions', async (_t, db) => {
  const { add, clock } = await setUp(db)
  const open = [await add(), await add(), await add()]
  clock.advance(deadlineMs)
  await add()
  const found = await Promise.all([1, 2].map(() => store.timeOutInteractions(db, clock.now(), 2)))
  const rest = await store.timeOutInteractions(db, clock.now(), 10)
  const ids = [...found.flat(), ...rest].map(({ id }) => id)
  assert.deepEqual(ids.toSorted(), open.map(({ id }) => id).toSorted())
})

eachEngine('a deferred interaction without a follow-up times out with its token', async (_t, db) => {
  const { add, find, ids, clock } = await setUp(db)
  const original = { id: ids(), ephemeral: true }
  const { id, userId, channelId } = await add({ state: 'deferred', original, nonce: 'n' })
  await add({ state: 'answered' })
  const expire = (now: number) => store.expireDeferred(db, { now, limit: 10 })
  assert.deepEqual(await expire(clock.now() + expiresMs - 1), [])
  assert.deepEqual(await expire(clock.now() + expiresMs), [
    { id, userId, type: 'command', nonce: 'n', channelId, original },
  ])
  const after = await find(id)
  assert.deepEqual([after?.state, after?.reason], ['timed_out', { code: 'no_follow_up' }])
})

eachEngine('records only the first late response', async (_t, db) => {
  const { add, find, clock } = await setUp(db)
  const { id, deadlineAt } = await add()
  await store.recordLateResponse(db, id, { response: 'message', now: deadlineAt - 1 })
  assert.equal((await find(id))?.respondedAt, null)
  await store.recordLateResponse(db, id, { response: 'defer', now: deadlineAt + 7 })
  await store.recordLateResponse(db, id, { response: 'message', now: deadlineAt + 9 })
  const after = await find(id)
  assert.deepEqual([after?.response, after?.respondedAt], ['defer', deadlineAt + 7])
  const answered = await add({ state: 'answered', respondedAt: clock.now(), response: 'message' })
  await store.recordLateResponse(db, answered.id, { response: 'defer', now: answered.deadlineAt })
  assert.deepEqual(await find(answered.id), answered)
})

eachEngine(
  'revoking fails the open interactions of one bot on one server and clears its tokens there',
  async (_t, db) => {
    const { add, find, clock, applicationId, otherId } = await setUp(db)
    const serverId = '1000000000000000002'
    const old = await add()
    clock.advance(deadlineMs)
    const [pending, deferred, answered] = [
      await add(),
      await add({ state: 'deferred' }),
      await add({ state: 'answered' }),
    ]
    const [otherServer, otherBot] = [await add({ serverId: null }), await add({ applicationId: otherId })]
    const now = clock.now()
    const since = timestampToSnowflake(now - expiresMs)
    const failed = await store.revokeInteractions(db, { applicationId, serverId, since, now })
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
    for (const other of [otherServer, otherBot]) assert.deepEqual(await find(other.id), other)
  },
)

eachEngine(
  'lists the newest interactions of an application and deletes the others in batches',
  async (_t, db) => {
    const { add, find, ids, clock, applicationId, otherId } = await setUp(db)
    const added: string[] = []
    for (let n = 0; n < 6; n++) added.push((await add()).id)
    const other = await add({ applicationId: otherId })
    const listed = await store.listInteractions(db, applicationId, 2)
    assert.deepEqual(
      listed.map(({ id }) => id),
      added.slice(-2),
    )
    const below = timestampToSnowflake(clock.now() + 1)
    const range = { from: added[0] ?? '', below }
    assert.deepEqual(
      (await store.listApplicationsBetween(db, range)).toSorted(),
      [applicationId, otherId].toSorted(),
    )
    const deleteExcess = (limit: number) =>
      store.deleteExcessInteractions(db, applicationId, { keep: 2, below, limit })
    assert.deepEqual([await deleteExcess(3), await deleteExcess(3), await deleteExcess(3)], [3, 1, 0])
    const left = await store.listInteractions(db, applicationId, 10)
    assert.deepEqual(
      left.map(({ id }) => id),
      added.slice(-2),
    )
    assert.deepEqual(await find(other.id), other)
    clock.advance(1)
    const newer = await add({ id: ids() })
    assert.equal(await store.deleteInteractionsBelow(db, below, 2), 2)
    assert.equal(await store.deleteInteractionsBelow(db, below, 2), 1)
    assert.deepEqual(await find(newer.id), newer)
  },
)
