import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Bus, BusUnavailable, NoResponders, RequestTimeout, ResponderFailed } from './bus.ts'
import { collect, eachBus } from './testing.ts'

const nobody = () => {}
const badNames = ['', '.', 'a.', '.a', 'a..b', 'a b', 'a.*', '>', 'a\r\nPUB b 0', 'ä', 'a/b']

/** Waits until all that `from` has published on `subject` has been delivered. */
async function settle(from: Bus, on: Bus, subject: string): Promise<void> {
  const last = collect()
  const subscription = await on.subscribe(subject, last.handler)
  from.publish(subject, 'the last')
  await last.upTo(1)
  subscription.close()
}

eachBus('messages of one publisher arrive in order, whole and once', async (_t, { nodes: [a, b] }) => {
  const seen = collect()
  await b.subscribe('channel.1', seen.handler)
  const sent = Array.from({ length: 2000 }, (_, i) => ({ i }))
  for (const message of sent) a.publish('channel.1', message)
  await seen.upTo(2000)
  await settle(a, b, 'channel.1')
  assert.deepEqual(seen.messages.slice(0, 2000), sent)
  assert.equal(seen.messages.length, 2001)
})

eachBus(
  'all subscribers of all nodes get a message, those of other subjects do not',
  async (_t, { nodes }) => {
    const [a, b] = nodes
    const here = [collect(), collect(), collect()]
    const elsewhere = collect()
    for (const [i, node] of [a, b, b].entries()) await node.subscribe('user.1', here[i]?.handler ?? nobody)
    for (const subject of ['user.2', 'user.10', 'user', 'user.1.x'])
      await b.subscribe(subject, elsewhere.handler)
    a.publish('user.1', 'hello')
    await Promise.all(here.map(each => each.upTo(1)))
    await settle(a, b, 'user.1')
    for (const each of here) assert.equal(each.messages[0], 'hello')
    assert.deepEqual(elsewhere.messages, [])
  },
)

eachBus('publishing returns before anything is delivered', async (_t, { nodes: [a] }) => {
  const seen = collect()
  await a.subscribe('channel.1', seen.handler)
  a.publish('channel.1', 1)
  assert.deepEqual(seen.messages, [])
  assert.deepEqual(await seen.upTo(1), [1])
})

eachBus('what a handler publishes does not overtake', async (_t, { nodes: [a] }) => {
  const seen = collect()
  await a.subscribe('channel.1', message => {
    if (message === 1) a.publish('channel.1', 3)
  })
  await a.subscribe('channel.1', seen.handler)
  a.publish('channel.1', 1)
  a.publish('channel.1', 2)
  assert.deepEqual(await seen.upTo(3), [1, 2, 3])
})

eachBus('a later subscriber does not get earlier messages', async (_t, { nodes: [a] }) => {
  const seen = collect()
  a.publish('channel.1', 'early')
  const subscribed = a.subscribe('channel.1', seen.handler)
  await subscribed
  a.publish('channel.1', 'late')
  assert.deepEqual(await seen.upTo(1), ['late'])
})

eachBus(
  'each message goes to one of a queue, and to every subscriber outside of it',
  async (_t, { nodes }) => {
    const [a, b] = nodes
    const members = [collect(), collect(), collect()]
    const other = collect()
    const outside = collect()
    for (const [i, node] of [a, b, b].entries()) {
      await node.subscribe('app.1', members[i]?.handler ?? nobody, 'workers')
    }
    await b.subscribe('app.1', other.handler, 'others')
    await b.subscribe('app.1', outside.handler)
    const sent = Array.from({ length: 300 }, (_, i) => i)
    for (const i of sent) a.publish('app.1', i)
    await outside.upTo(300)
    await settle(a, a, 'app.1')
    await settle(a, b, 'app.1')
    const got = members.flatMap(member => member.messages).filter(message => typeof message === 'number')
    assert.deepEqual(
      got.toSorted((x, y) => x - y),
      sent,
    )
    assert.deepEqual(other.messages.slice(0, 300), sent)
    for (const member of members) assert.ok(member.messages.length > 30, `${member.messages.length} of 300`)
  },
)

eachBus('the members of a queue on one node take strict turns', async (_t, { nodes: [a] }) => {
  const members = [collect(), collect()]
  for (const member of members) await a.subscribe('app.1', member.handler, 'workers')
  for (let i = 0; i < 10; i++) a.publish('app.1', i)
  await Promise.all(members.map(member => member.upTo(5)))
  assert.deepEqual(members[0]?.messages, [0, 2, 4, 6, 8])
  assert.deepEqual(members[1]?.messages, [1, 3, 5, 7, 9])
})

eachBus(
  'nothing arrives once a subscription is closed, and the others stay',
  async (_t, { nodes: [a, b] }) => {
    const gone = collect()
    const stays = collect()
    const subscription = await b.subscribe('channel.1', gone.handler)
    const queued = await b.subscribe('channel.1', gone.handler, 'queue')
    await b.subscribe('channel.1', stays.handler)
    a.publish('channel.1', 'on its way')
    subscription.close()
    subscription.close()
    queued.close()
    a.publish('channel.1', 'later')
    assert.deepEqual(await stays.upTo(2), ['on its way', 'later'])
    assert.deepEqual(gone.messages, [])
    await b.subscribe('channel.1', gone.handler)
    a.publish('channel.1', 'again')
    assert.deepEqual(await gone.upTo(1), ['again'])
  },
)

eachBus('a handler may close the subscription next to it', async (_t, { nodes: [a] }) => {
  const second = collect()
  const after = collect()
  await a.subscribe('channel.1', () => subscription.close())
  const subscription = await a.subscribe('channel.1', second.handler)
  await a.subscribe('channel.1', after.handler)
  a.publish('channel.1', 1)
  await after.upTo(1)
  assert.deepEqual(second.messages, [])
})

eachBus(
  'a handler that throws or rejects disturbs nobody and is reported',
  async (_t, { nodes: [a], errors }) => {
    const seen = collect()
    await a.subscribe('channel.1', () => {
      throw new Error('sync')
    })
    const rejecting = (): unknown => Promise.reject(new Error('async'))
    await a.subscribe('channel.1', rejecting)
    await a.subscribe('channel.1', seen.handler)
    a.publish('channel.1', 1)
    a.publish('channel.1', 2)
    assert.deepEqual(await seen.upTo(2), [1, 2])
    await settle(a, a, 'channel.1')
    const messages = errors.map(error => (error instanceof Error ? error.message : ''))
    assert.deepEqual(messages.toSorted().slice(0, 2), ['async', 'async'])
    assert.deepEqual(messages.toSorted().slice(-2), ['sync', 'sync'])
  },
)

eachBus(
  'publishing never throws, whatever the subject, and says what was lost',
  async (_t, { nodes, errors }) => {
    for (const name of badNames) nodes[0].publish(name, 1)
    assert.equal(errors.length, badNames.length)
    await nodes[0].close()
    nodes[0].publish('channel.1', 1)
    assert.ok(errors.at(-1) instanceof BusUnavailable)
  },
)

eachBus(
  'a subject is words joined by dots: no wildcard, nothing of the protocol',
  async (_t, { nodes: [a] }) => {
    for (const name of badNames) {
      await assert.rejects(a.subscribe(name, nobody), TypeError, name)
      await assert.rejects(a.subscribe('channel.1', nobody, name), TypeError, name)
      await assert.rejects(
        a.respond(name, async () => 1),
        TypeError,
        name,
      )
      await assert.rejects(a.request(name, 1, 1000), TypeError, name)
    }
  },
)

eachBus('any JSON value arrives as it was', async (_t, { nodes: [a, b] }) => {
  await b.respond('echo', async message => message)
  const values: unknown[] = [null, true, 0, -1.5e300, '', 'ü \u0000 \u2028 🙂', [], {}, { a: [{ b: null }] }]
  for (const value of values) assert.deepEqual(await a.request('echo', value, 2000), value)
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async value => {
      const answer = await a.request('echo', value, 2000)
      assert.equal(JSON.stringify(answer), JSON.stringify(value))
    }),
    { numRuns: 50 },
  )
})

eachBus('a request is answered by the responder of another node', async (_t, { nodes: [a, b] }) => {
  await b.respond('app.1', async message => ({ got: message }))
  assert.deepEqual(await a.request('app.1', { n: 1 }, 2000), { got: { n: 1 } })
})

eachBus('a request sees responders only, a publication subscribers only', async (_t, { nodes: [a, b] }) => {
  const seen = collect()
  let asked = 0
  await b.subscribe('app.1', seen.handler)
  await assert.rejects(a.request('app.1', 'asked', 60_000), NoResponders)
  await b.respond('app.1', async () => ++asked)
  a.publish('app.1', 'told')
  assert.equal(await a.request('app.1', 'asked', 2000), 1)
  assert.deepEqual(await seen.upTo(1), ['told'])
})

eachBus('the responders of one node take strict turns', async (_t, { nodes: [a] }) => {
  for (const name of ['x', 'y', 'z']) await a.respond('app.1', async () => name)
  const answers: unknown[] = []
  for (let i = 0; i < 9; i++) answers.push(await a.request('app.1', i, 2000))
  assert.deepEqual(answers, ['x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z'])
})

eachBus('the responders of all nodes have their share', async (_t, { nodes: [a, b] }) => {
  await a.respond('app.1', async () => 'a')
  await b.respond('app.1', async () => 'b')
  const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => a.request('app.1', i, 5000)))
  const ofA = answers.filter(answer => answer === 'a').length
  assert.ok(ofA > 60 && ofA < 240, `${ofA} of 300`)
})

eachBus('where nobody responds, or nobody any more, that is known at once', async (_t, { nodes: [a, b] }) => {
  await assert.rejects(a.request('app.1', 1, 60_000), NoResponders)
  const first = await b.respond('app.1', async () => 'first')
  const second = await b.respond('app.1', async () => 'second')
  first.close()
  assert.equal(await a.request('app.1', 1, 2000), 'second')
  second.close()
  await assert.rejects(a.request('app.1', 1, 60_000), NoResponders)
})

eachBus('a responder that leaves takes no request along', async (_t, { nodes: [a, b] }) => {
  await a.respond('app.1', async () => 'answered')
  // It leaves at its first request, when others are on their way to it.
  const leaving = await b.respond('app.1', async () => {
    leaving.close()
    return 'answered'
  })
  const requests = Array.from({ length: 200 }, (_, i) => a.request('app.1', i, 60_000))
  assert.deepEqual(new Set(await Promise.all(requests)), new Set(['answered']))
})

eachBus(
  'a member that leaves a queue takes no message from those who stay',
  async (_t, { nodes: [a, b] }) => {
    const [leaves, stays] = [collect(), collect()]
    const leaving = await b.subscribe('app.1', leaves.handler, 'workers')
    await b.subscribe('app.1', stays.handler, 'workers')
    for (let i = 0; i < 100; i++) a.publish('app.1', i)
    leaving.close()
    for (let i = 0; i < 100; i++) a.publish('app.1', i)
    await stays.upTo(200)
    assert.deepEqual(leaves.messages, [])
  },
)

eachBus('a request that nobody answers in time is given up', async (_t, { nodes: [a, b] }) => {
  const answer = Promise.withResolvers<string>()
  await b.respond('app.1', () => answer.promise)
  await assert.rejects(a.request('app.1', 1, 30), RequestTimeout)
  answer.resolve('late')
  assert.equal(await a.request('app.1', 1, 2000), 'late')
})

eachBus('a responder that throws or rejects fails its request alone, without its words', async (_t, bus) => {
  const [a, b] = bus.nodes
  let calls = 0
  await b.respond('app.1', () => {
    calls++
    if (calls === 1) throw new Error('private words')
    return calls === 2 ? Promise.reject(new Error('private words')) : Promise.resolve('well')
  })
  for (let i = 0; i < 2; i++) {
    await assert.rejects(
      a.request('app.1', 1, 2000),
      (error: unknown) => error instanceof ResponderFailed && !String(error).includes('private'),
    )
  }
  assert.equal(await a.request('app.1', 1, 2000), 'well')
  assert.equal(bus.errors.length, 2)
})

eachBus('a key is there for all nodes once it was set', async (_t, { nodes: [a, b] }) => {
  assert.equal(await b.transient.get('message.1'), undefined)
  await a.transient.set('message.1', 'first', 1000)
  const first = await b.transient.get('message.1')
  await a.transient.set('message.1', 'second', 1000)
  const second = await b.transient.get('message.1')
  assert.deepEqual([first?.value, second?.value], ['first', 'second'])
  assert.notEqual(first?.revision, second?.revision)
})

eachBus('any text comes back as it was', async (_t, { nodes: [a, b] }) => {
  const property = fc.asyncProperty(fc.string({ unit: 'grapheme' }), async text => {
    await a.transient.set('k', text, 1000)
    assert.equal((await b.transient.get('k'))?.value, text)
  })
  await fc.assert(property, { numRuns: 30, examples: [[''], [':'], ['12:34'], ['\n\0']] })
})

eachBus('a key is gone exactly when its time is over', async (_t, { nodes: [a, b], clock }) => {
  await a.transient.set('k', 'v', 1000)
  const { revision = 0 } = (await a.transient.get('k')) ?? {}
  clock.advance(999)
  assert.equal((await b.transient.get('k'))?.value, 'v')
  clock.advance(1)
  assert.equal(await b.transient.get('k'), undefined)
  assert.equal(await b.transient.update('k', 'w', revision), false)
  assert.equal(await b.transient.delete('k'), false)
})

eachBus('of 100 who create one key, one does', async (_t, { nodes, clock }) => {
  async function race(): Promise<number> {
    const tries = Array.from({ length: 100 }, (_, i) =>
      nodes[i % 2 ? 0 : 1].transient.create('k', `${i}`, 1000),
    )
    const results = await Promise.all(tries)
    const entry = await nodes[0].transient.get('k')
    assert.equal(entry?.value, `${results.indexOf(true)}`)
    return results.filter(Boolean).length
  }
  assert.equal(await race(), 1)
  clock.advance(1000)
  assert.equal(await race(), 1, 'after the first has expired')
  assert.equal(await nodes[1].transient.delete('k'), true)
  assert.equal(await race(), 1, 'after the second was deleted')
})

eachBus('of 100 who change one revision, one does', async (_t, { nodes: [a, b] }) => {
  await a.transient.set('k', 'old', 1000)
  const { revision = 0 } = (await b.transient.get('k')) ?? {}
  const tries = Array.from({ length: 100 }, (_, i) => (i % 2 ? a : b).transient.update('k', `${i}`, revision))
  const results = await Promise.all(tries)
  assert.equal(results.filter(Boolean).length, 1)
  const entry = await a.transient.get('k')
  assert.equal(entry?.value, `${results.indexOf(true)}`)
  assert.equal(await b.transient.update('k', 'next', entry?.revision ?? 0), true)
})

eachBus('of 100 who delete one key, one does', async (_t, { nodes: [a, b] }) => {
  await a.transient.set('k', 'v', 1000)
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, i) => (i % 2 ? a : b).transient.delete('k')),
  )
  assert.equal(results.filter(Boolean).length, 1)
  assert.equal(await a.transient.get('k'), undefined)
})

eachBus('a change keeps the time at which the key expires', async (_t, { nodes: [a, b], clock }) => {
  await a.transient.set('k', 'old', 1000)
  const { revision = 0 } = (await b.transient.get('k')) ?? {}
  clock.advance(600)
  assert.equal(await b.transient.update('k', 'new', revision), true)
  clock.advance(399)
  assert.equal((await a.transient.get('k'))?.value, 'new')
  clock.advance(1)
  assert.equal(await a.transient.get('k'), undefined)
})

eachBus('a revision of an earlier life of a key changes nothing', async (_t, { nodes: [a, b] }) => {
  await a.transient.set('k', 'first life', 1000)
  const { revision = 0 } = (await a.transient.get('k')) ?? {}
  assert.equal(await b.transient.delete('k'), true)
  assert.equal(await a.transient.update('k', 'x', revision), false)
  await b.transient.set('k', 'second life', 1000)
  assert.equal(await a.transient.update('k', 'x', revision), false)
  assert.equal((await a.transient.get('k'))?.value, 'second life')
})

eachBus('a key whose time is over from the start is not there', async (_t, { nodes: [a] }) => {
  await a.transient.set('k', 'v', 0)
  assert.equal(await a.transient.get('k'), undefined)
  assert.equal(await a.transient.create('k', 'v', -5), true)
  assert.equal(await a.transient.get('k'), undefined)
})

eachBus('keys are spelled as subjects and kept for 16 minutes at most', async (_t, { nodes: [a] }) => {
  for (const key of badNames) {
    await assert.rejects(a.transient.get(key), TypeError, key)
    await assert.rejects(a.transient.set(key, 'v', 1000), TypeError, key)
    await assert.rejects(a.transient.create(key, 'v', 1000), TypeError, key)
    await assert.rejects(a.transient.update(key, 'v', 1), TypeError, key)
    await assert.rejects(a.transient.delete(key), TypeError, key)
  }
  await a.transient.set('k', 'v', 16 * 60_000)
  for (const ttl of [16 * 60_000 + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(a.transient.set('k', 'v', ttl), RangeError)
    await assert.rejects(a.transient.create('j', 'v', ttl), RangeError)
  }
})

eachBus('a closed bus says so', async (_t, { nodes: [a] }) => {
  assert.equal(a.healthy(), true)
  await a.close()
  await a.close()
  assert.equal(a.healthy(), false)
  await assert.rejects(a.subscribe('s', nobody), BusUnavailable)
  await assert.rejects(
    a.respond('s', async () => 1),
    BusUnavailable,
  )
  await assert.rejects(a.request('s', 1, 1000), BusUnavailable)
  await assert.rejects(a.transient.get('k'), BusUnavailable)
  await assert.rejects(a.transient.set('k', 'v', 1000), BusUnavailable)
  await assert.rejects(a.transient.create('k', 'v', 1000), BusUnavailable)
  await assert.rejects(a.transient.update('k', 'v', 1), BusUnavailable)
  await assert.rejects(a.transient.delete('k'), BusUnavailable)
})
