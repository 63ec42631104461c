import assert from 'node:assert/strict'
import { collect, eachBus } from '@gatehouse/testkit/bus'
import fc from 'fast-check'
import { type Bus, BusUnavailable, NoResponders, RequestTimeout, ResponderFailed } from './bus.ts'

const ignore = () => {}
const invalidNames = ['', '.', 'a.', '.a', 'a..b', 'a b', 'a.*', '>', 'a\r\nPUB b 0', 'ä', 'a/b']

/** Waits until `on` has received everything that `from` published on `subject`. */
async function flush(from: Bus, on: Bus, subject: string): Promise<void> {
  const last = collect()
  const subscription = await on.subscribe(subject, last.handler)
  from.publish(subject, 'flush')
  await last.upTo(1)
  subscription.close()
}

eachBus('messages of one publisher arrive once, complete and in order', async (_t, { nodes: [a, b] }) => {
  const seen = collect()
  await b.subscribe('channel.1', seen.handler)
  const sent = Array.from({ length: 2000 }, (_, i) => ({ i }))
  for (const message of sent) a.publish('channel.1', message)
  await seen.upTo(2000)
  await flush(a, b, 'channel.1')
  assert.deepEqual(seen.messages.slice(0, 2000), sent)
  assert.equal(seen.messages.length, 2001)
})

eachBus(
  'a message reaches all subscribers of its subject on all nodes, and no others',
  async (_t, { nodes }) => {
    const [a, b] = nodes
    const here = [collect(), collect(), collect()]
    const elsewhere = collect()
    for (const [i, node] of [a, b, b].entries()) await node.subscribe('user.1', here[i]?.handler ?? ignore)
    for (const subject of ['user.2', 'user.10', 'user', 'user.1.x'])
      await b.subscribe(subject, elsewhere.handler)
    a.publish('user.1', 'hello')
    await Promise.all(here.map(each => each.upTo(1)))
    await flush(a, b, 'user.1')
    for (const each of here) assert.equal(each.messages[0], 'hello')
    assert.deepEqual(elsewhere.messages, [])
  },
)

eachBus('publish returns before a subscriber is called', async (_t, { nodes: [a] }) => {
  const seen = collect()
  await a.subscribe('channel.1', seen.handler)
  a.publish('channel.1', 1)
  assert.deepEqual(seen.messages, [])
  assert.deepEqual(await seen.upTo(1), [1])
})

eachBus(
  'a message published by a handler arrives after the messages published before it',
  async (_t, { nodes: [a] }) => {
    const seen = collect()
    await a.subscribe('channel.1', message => {
      if (message === 1) a.publish('channel.1', 3)
    })
    await a.subscribe('channel.1', seen.handler)
    a.publish('channel.1', 1)
    a.publish('channel.1', 2)
    assert.deepEqual(await seen.upTo(3), [1, 2, 3])
  },
)

eachBus(
  'a subscriber does not receive messages published before it subscribed',
  async (_t, { nodes: [a] }) => {
    const seen = collect()
    a.publish('channel.1', 'early')
    const subscribed = a.subscribe('channel.1', seen.handler)
    await subscribed
    a.publish('channel.1', 'late')
    assert.deepEqual(await seen.upTo(1), ['late'])
  },
)

eachBus(
  'a closed subscription receives nothing, and other subscriptions continue',
  async (_t, { nodes: [a, b] }) => {
    const closed = collect()
    const open = collect()
    const subscription = await b.subscribe('channel.1', closed.handler)
    await b.subscribe('channel.1', open.handler)
    a.publish('channel.1', 'in transit')
    subscription.close()
    subscription.close()
    a.publish('channel.1', 'later')
    assert.deepEqual(await open.upTo(2), ['in transit', 'later'])
    assert.deepEqual(closed.messages, [])
    await b.subscribe('channel.1', closed.handler)
    a.publish('channel.1', 'again')
    assert.deepEqual(await closed.upTo(1), ['again'])
  },
)

eachBus('a handler can close the subscription of the next handler', async (_t, { nodes: [a] }) => {
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
  'an error of a handler is passed to onError and does not affect other handlers',
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
    await flush(a, a, 'channel.1')
    const messages = errors.map(error => (error instanceof Error ? error.message : ''))
    assert.deepEqual(messages.toSorted().slice(0, 2), ['async', 'async'])
    assert.deepEqual(messages.toSorted().slice(-2), ['sync', 'sync'])
  },
)

eachBus(
  'publish passes an invalid subject or a closed bus to onError and does not throw',
  async (_t, { nodes, errors }) => {
    for (const name of invalidNames) nodes[0].publish(name, 1)
    assert.equal(errors.length, invalidNames.length)
    await nodes[0].close()
    nodes[0].publish('channel.1', 1)
    assert.ok(errors.at(-1) instanceof BusUnavailable)
  },
)

eachBus('subscribe, respond and request reject an invalid subject', async (_t, { nodes: [a] }) => {
  for (const name of invalidNames) {
    await assert.rejects(a.subscribe(name, ignore), TypeError, name)
    await assert.rejects(
      a.respond(name, async () => 1),
      TypeError,
      name,
    )
    await assert.rejects(a.request(name, 1, 1000), TypeError, name)
  }
})

eachBus('a JSON value arrives unchanged', async (_t, { nodes: [a, b] }) => {
  await b.respond('echo', async message => message)
  const values: unknown[] = [null, true, 0, -1.5e300, '', 'ü \u0000 \u2028 🙂', [], {}, { a: [{ b: null }] }]
  for (const value of values) assert.deepEqual(await a.request('echo', value, 2000), value)
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async value => {
      const reply = await a.request('echo', value, 2000)
      assert.equal(JSON.stringify(reply), JSON.stringify(value))
    }),
    { numRuns: 50 },
  )
})

eachBus('a responder replies to a request of another node', async (_t, { nodes: [a, b] }) => {
  await b.respond('app.1', async message => ({ got: message }))
  assert.deepEqual(await a.request('app.1', { n: 1 }, 2000), { got: { n: 1 } })
})

eachBus('requests reach only responders, publications only subscribers', async (_t, { nodes: [a, b] }) => {
  const seen = collect()
  let requests = 0
  await b.subscribe('app.1', seen.handler)
  await assert.rejects(a.request('app.1', 'request', 60_000), NoResponders)
  await b.respond('app.1', async () => ++requests)
  a.publish('app.1', 'event')
  assert.equal(await a.request('app.1', 'request', 2000), 1)
  assert.deepEqual(await seen.upTo(1), ['event'])
})

eachBus('requests rotate among the responders of one node', async (_t, { nodes: [a] }) => {
  for (const name of ['x', 'y', 'z']) await a.respond('app.1', async () => name)
  const replies: unknown[] = []
  for (let i = 0; i < 9; i++) replies.push(await a.request('app.1', i, 2000))
  assert.deepEqual(replies, ['x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z'])
})

eachBus('requests are distributed among the responders of all nodes', async (_t, { nodes: [a, b] }) => {
  await a.respond('app.1', async () => 'a')
  await b.respond('app.1', async () => 'b')
  const replies = await Promise.all(Array.from({ length: 300 }, (_, i) => a.request('app.1', i, 5000)))
  const ofA = replies.filter(reply => reply === 'a').length
  assert.ok(ofA > 60 && ofA < 240, `${ofA} of 300`)
})

eachBus(
  'a request rejects immediately if there are no responders or all are closed',
  async (_t, { nodes: [a, b] }) => {
    await assert.rejects(a.request('app.1', 1, 60_000), NoResponders)
    const first = await b.respond('app.1', async () => 'first')
    const second = await b.respond('app.1', async () => 'second')
    first.close()
    assert.equal(await a.request('app.1', 1, 2000), 'second')
    second.close()
    await assert.rejects(a.request('app.1', 1, 60_000), NoResponders)
  },
)

eachBus('no request is lost if a responder closes during the requests', async (_t, { nodes: [a, b] }) => {
  await a.respond('app.1', async () => 'reply')
  // Closes at its first request, while others are in transit to it.
  const closing = await b.respond('app.1', async () => {
    closing.close()
    return 'reply'
  })
  const requests = Array.from({ length: 200 }, (_, i) => a.request('app.1', i, 60_000))
  assert.deepEqual(new Set(await Promise.all(requests)), new Set(['reply']))
})

eachBus('a request without a reply in time rejects with RequestTimeout', async (_t, { nodes: [a, b] }) => {
  const reply = Promise.withResolvers<string>()
  await b.respond('app.1', () => reply.promise)
  await assert.rejects(a.request('app.1', 1, 30), RequestTimeout)
  reply.resolve('late')
  assert.equal(await a.request('app.1', 1, 2000), 'late')
})

eachBus(
  'an error of a responder rejects only its own request, without the error message',
  async (_t, bus) => {
    const [a, b] = bus.nodes
    let calls = 0
    await b.respond('app.1', () => {
      calls++
      if (calls === 1) throw new Error('private text')
      return calls === 2 ? Promise.reject(new Error('private text')) : Promise.resolve('ok')
    })
    for (let i = 0; i < 2; i++) {
      await assert.rejects(
        a.request('app.1', 1, 2000),
        (error: unknown) => error instanceof ResponderFailed && !String(error).includes('private'),
      )
    }
    assert.equal(await a.request('app.1', 1, 2000), 'ok')
    assert.equal(bus.errors.length, 2)
  },
)

eachBus('all nodes can read a key after set resolves', async (_t, { nodes: [a, b] }) => {
  assert.equal(await b.kv.get('message.1'), undefined)
  await a.kv.set('message.1', 'first', 1000)
  const first = await b.kv.get('message.1')
  await a.kv.set('message.1', 'second', 1000)
  const second = await b.kv.get('message.1')
  assert.deepEqual([first?.value, second?.value], ['first', 'second'])
  assert.notEqual(first?.revision, second?.revision)
})

eachBus('a value is returned unchanged', async (_t, { nodes: [a, b] }) => {
  const property = fc.asyncProperty(fc.string({ unit: 'grapheme' }), async text => {
    await a.kv.set('k', text, 1000)
    assert.equal((await b.kv.get('k'))?.value, text)
  })
  await fc.assert(property, { numRuns: 30, examples: [[''], [':'], ['12:34'], ['\n\0']] })
})

eachBus('a key expires exactly at the end of its time to live', async (_t, { nodes: [a, b], clock }) => {
  await a.kv.set('k', 'v', 1000)
  const { revision = 0 } = (await a.kv.get('k')) ?? {}
  clock.advance(999)
  assert.equal((await b.kv.get('k'))?.value, 'v')
  clock.advance(1)
  assert.equal(await b.kv.get('k'), undefined)
  assert.equal(await b.kv.update('k', 'w', revision), false)
  assert.equal(await b.kv.delete('k'), false)
})

eachBus('exactly one of 100 concurrent creates of a key succeeds', async (_t, { nodes, clock }) => {
  async function race(): Promise<number> {
    const tries = Array.from({ length: 100 }, (_, i) => nodes[i % 2 ? 0 : 1].kv.create('k', `${i}`, 1000))
    const results = await Promise.all(tries)
    const entry = await nodes[0].kv.get('k')
    assert.equal(entry?.value, `${results.indexOf(true)}`)
    return results.filter(Boolean).length
  }
  assert.equal(await race(), 1)
  clock.advance(1000)
  assert.equal(await race(), 1, 'after the first key expired')
  assert.equal(await nodes[1].kv.delete('k'), true)
  assert.equal(await race(), 1, 'after the second key was deleted')
})

eachBus('exactly one of 100 concurrent updates of a revision succeeds', async (_t, { nodes: [a, b] }) => {
  await a.kv.set('k', 'old', 1000)
  const { revision = 0 } = (await b.kv.get('k')) ?? {}
  const tries = Array.from({ length: 100 }, (_, i) => (i % 2 ? a : b).kv.update('k', `${i}`, revision))
  const results = await Promise.all(tries)
  assert.equal(results.filter(Boolean).length, 1)
  const entry = await a.kv.get('k')
  assert.equal(entry?.value, `${results.indexOf(true)}`)
  assert.equal(await b.kv.update('k', 'next', entry?.revision ?? 0), true)
})

eachBus('exactly one of 100 concurrent deletes of a key succeeds', async (_t, { nodes: [a, b] }) => {
  await a.kv.set('k', 'v', 1000)
  const results = await Promise.all(Array.from({ length: 100 }, (_, i) => (i % 2 ? a : b).kv.delete('k')))
  assert.equal(results.filter(Boolean).length, 1)
  assert.equal(await a.kv.get('k'), undefined)
})

eachBus('update does not change the time of expiry', async (_t, { nodes: [a, b], clock }) => {
  await a.kv.set('k', 'old', 1000)
  const { revision = 0 } = (await b.kv.get('k')) ?? {}
  clock.advance(600)
  assert.equal(await b.kv.update('k', 'new', revision), true)
  clock.advance(399)
  assert.equal((await a.kv.get('k'))?.value, 'new')
  clock.advance(1)
  assert.equal(await a.kv.get('k'), undefined)
})

eachBus('update with a time to live starts it again', async (_t, { nodes: [a, b], clock }) => {
  assert.equal(await a.kv.update('k', 'new', 1, 1000), false)
  await a.kv.set('k', 'old', 1000)
  const { revision = 0 } = (await b.kv.get('k')) ?? {}
  clock.advance(1500)
  assert.equal(await b.kv.update('k', 'new', revision, 1000), true)
  assert.equal(await a.kv.update('k', 'other', revision, 1000), false)
  clock.advance(999)
  assert.equal((await a.kv.get('k'))?.value, 'new')
  clock.advance(1)
  assert.equal(await a.kv.get('k'), undefined)
})

eachBus('requestKv is apart from kv', async (_t, { nodes: [a, b] }) => {
  await a.kv.set('k', 'v', 1000)
  assert.equal(await b.requestKv.get('k'), undefined)
  assert.equal(await a.requestKv.create('k', 'w', 1000), true)
  assert.equal((await b.requestKv.get('k'))?.value, 'w')
  assert.equal(await b.requestKv.delete('k'), true)
  assert.equal((await b.kv.get('k'))?.value, 'v')
})

eachBus(
  'update rejects a revision from before the key was deleted or set again',
  async (_t, { nodes: [a, b] }) => {
    await a.kv.set('k', 'first', 1000)
    const { revision = 0 } = (await a.kv.get('k')) ?? {}
    assert.equal(await b.kv.delete('k'), true)
    assert.equal(await a.kv.update('k', 'x', revision), false)
    await b.kv.set('k', 'second', 1000)
    assert.equal(await a.kv.update('k', 'x', revision), false)
    assert.equal((await a.kv.get('k'))?.value, 'second')
  },
)

eachBus('a key with a time to live of zero or less does not exist', async (_t, { nodes: [a] }) => {
  await a.kv.set('k', 'v', 0)
  assert.equal(await a.kv.get('k'), undefined)
  assert.equal(await a.kv.create('k', 'v', -5), true)
  assert.equal(await a.kv.get('k'), undefined)
})

eachBus(
  'keys have the syntax of subjects, and the time to live is at most 16 minutes',
  async (_t, { nodes: [a] }) => {
    for (const key of invalidNames) {
      await assert.rejects(a.kv.get(key), TypeError, key)
      await assert.rejects(a.kv.set(key, 'v', 1000), TypeError, key)
      await assert.rejects(a.kv.create(key, 'v', 1000), TypeError, key)
      await assert.rejects(a.kv.update(key, 'v', 1), TypeError, key)
      await assert.rejects(a.kv.delete(key), TypeError, key)
    }
    await a.kv.set('k', 'v', 16 * 60_000)
    for (const ttl of [16 * 60_000 + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(a.kv.set('k', 'v', ttl), RangeError)
      await assert.rejects(a.kv.create('j', 'v', ttl), RangeError)
      await assert.rejects(a.kv.update('k', 'v', 1, ttl), RangeError)
    }
  },
)

eachBus('a closed bus is not healthy and rejects every call', async (_t, { nodes: [a] }) => {
  assert.equal(a.healthy(), true)
  await a.close()
  await a.close()
  assert.equal(a.healthy(), false)
  await assert.rejects(a.subscribe('s', ignore), BusUnavailable)
  await assert.rejects(
    a.respond('s', async () => 1),
    BusUnavailable,
  )
  await assert.rejects(a.request('s', 1, 1000), BusUnavailable)
  await assert.rejects(a.kv.get('k'), BusUnavailable)
  await assert.rejects(a.kv.set('k', 'v', 1000), BusUnavailable)
  await assert.rejects(a.kv.create('k', 'v', 1000), BusUnavailable)
  await assert.rejects(a.kv.update('k', 'v', 1), BusUnavailable)
  await assert.rejects(a.kv.delete('k'), BusUnavailable)
})
