import assert from 'node:assert/strict'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine } from '@gatehouse/testkit/databases'
import { leaseNodeNumber, NodeLeaseLost } from './node-lease.ts'

eachEngine('50 nodes that start concurrently get 50 numbers', async (_t, db) => {
  const clock = createTestClock()
  const holders = Array.from({ length: 50 }, (_, i) => `holder ${i}`)
  const leases = await Promise.all(holders.map(holder => leaseNodeNumber(db, { clock: clock.now, holder })))
  assert.deepEqual(
    leases.map(lease => lease.node).toSorted((a, b) => a - b),
    holders.map((_, i) => i),
  )
})

eachEngine('the lowest free or expired number is leased', async (_t, db) => {
  const clock = createTestClock()
  const lease = (holder: string) => leaseNodeNumber(db, { clock: clock.now, holder })
  const [a, b, c] = [await lease('a'), await lease('b'), await lease('c')]
  assert.deepEqual([a.node, b.node, c.node], [0, 1, 2])
  clock.advance(59_999)
  await a.renew()
  await c.renew()
  assert.equal((await lease('d')).node, 3)
  clock.advance(1)
  assert.equal((await lease('e')).node, 1)
})

eachEngine('only one of several nodes leases an expired number', async (_t, db) => {
  const clock = createTestClock()
  await leaseNodeNumber(db, { clock: clock.now, holder: 'dead' })
  clock.advance(60_000)
  const holders = Array.from({ length: 20 }, (_, i) => `holder ${i}`)
  const leases = await Promise.all(holders.map(holder => leaseNodeNumber(db, { clock: clock.now, holder })))
  assert.equal(new Set(leases.map(lease => lease.node)).size, 20)
  assert.equal(leases.filter(lease => lease.node === 0).length, 1)
})

eachEngine('a renewed lease does not expire', async (_t, db) => {
  const clock = createTestClock()
  const held = await leaseNodeNumber(db, { clock: clock.now, holder: 'a' })
  for (let i = 0; i < 10; i++) {
    clock.advance(20_000)
    await held.renew()
  }
  assert.equal((await leaseNodeNumber(db, { clock: clock.now, holder: 'b' })).node, 1)
})

eachEngine('a late renewal succeeds if no other node has leased the number', async (_t, db) => {
  const clock = createTestClock()
  const held = await leaseNodeNumber(db, { clock: clock.now, holder: 'a' })
  clock.advance(500_000)
  await held.renew()
  assert.equal((await leaseNodeNumber(db, { clock: clock.now, holder: 'b' })).node, 1)
})

eachEngine(
  'renew rejects after another node has leased the number, and does not take it back',
  async (_t, db) => {
    const clock = createTestClock()
    const lost = await leaseNodeNumber(db, { clock: clock.now, holder: 'a' })
    clock.advance(60_000)
    const taken = await leaseNodeNumber(db, { clock: clock.now, holder: 'b' })
    assert.equal(taken.node, lost.node)
    await assert.rejects(lost.renew(), NodeLeaseLost)
    await lost.release()
    await assert.rejects(lost.renew(), NodeLeaseLost)
    await taken.renew()
    assert.equal((await leaseNodeNumber(db, { clock: clock.now, holder: 'c' })).node, 1)
  },
)

eachEngine('a released number can be leased again after five seconds', async (_t, db) => {
  const clock = createTestClock()
  const first = await leaseNodeNumber(db, { clock: clock.now, holder: 'a' })
  await first.release()
  await assert.rejects(first.renew(), NodeLeaseLost)
  assert.equal((await leaseNodeNumber(db, { clock: clock.now, holder: 'b' })).node, 1)
  clock.advance(5000)
  assert.equal((await leaseNodeNumber(db, { clock: clock.now, holder: 'c' })).node, 0)
})

eachEngine('the 1,025th node is rejected', async (_t, db) => {
  const clock = createTestClock()
  const later = clock.now() + 60_000
  await db.transaction(async tx => {
    for (let id = 0; id < 1023; id++) {
      await tx.run`INSERT INTO nodes (id, holder, expires_at) VALUES (${id}, 'other', ${later})`
    }
  })
  assert.equal((await leaseNodeNumber(db, { clock: clock.now, holder: 'last' })).node, 1023)
  await assert.rejects(leaseNodeNumber(db, { clock: clock.now, holder: 'one more' }), /all 1024 node numbers/)
})
