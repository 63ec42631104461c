import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type NetworkAddress, startNats, startPostgres } from '@gatehouse/testkit/local-servers'
import { retry } from '@gatehouse/testkit/wait-until'
import { fault, Skip } from './fault.ts'
import { assertWorks } from './load.ts'
import { connectAnsweringBot, type Target } from './target.ts'

// More than the response deadline of a bot, which is 3 seconds.
const pendingTimeoutMs = 6000
const recoveryTimeoutMs = 60_000

/** Cuts one of two nodes off from the database, the bus and the other node, but not from its clients. */
fault('partition', ['PostgreSQL'], 5, 'no response is lost or doubled, recovery', async context => {
  if (process.getuid?.() !== 0) throw new Skip('only root can create network namespaces')
  context.after(removeNetwork)
  const { hub, places, cut, heal } = createNetwork()
  const database = context.use('PostgreSQL', await startPostgres(hub))
  const bus = context.use('nats-server', await startNats(hub))
  const [a, b] = await context.startNodes(places, { DATABASE_URL: database.url, NATS_URL: bus.url })
  const user = await a.connectUser()
  const answers: string[] = []
  const bots = [await connectAnsweringBot(a, answers), await connectAnsweringBot(b, answers)]
  const before = await invokeAll(a)
  assert.ok(before.every(isAnswered), `before the partition interactions are ${before.join(', ')}`)

  cut()
  const during = await invokeAll(a)
  await assertWorks(a)
  const rejected = await b.post('during the partition')
  assert.equal(rejected.status, 503, `without its database: ${rejected.status} ${rejected.text}`)
  assert.equal((await b.send('/readyz')).status, 503)

  heal()
  await b.waitUntilReady(recoveryTimeoutMs)
  await assertWorks(b)
  await assertWorks(a)
  bots.push(await connectAnsweringBot(b, answers))
  const start = performance.now()
  // The bus can still route messages to the old connection of the node. Such a dispatch is retried and arrives half a
  // second later.
  await retry(recoveryTimeoutMs, async () => {
    const states = await invokeAll(b)
    assert.ok(states.every(isAnswered), `after the partition interactions are ${states.join(', ')}`)
  })
  const recoveryMs = Math.round(performance.now() - start)

  const received = user.events.filter(({ t }) => t === 'MESSAGE_CREATE').length
  assert.ok(received >= before.length, 'the user did not receive every response')
  assert.equal(new Set(answers).size, answers.length, 'an interaction got two successful responses')
  user.close()
  for (const bot of bots) await bot.close()
  const answered = `${during.filter(isAnswered).length} of ${during.length} interactions got a response`
  return `${answered} during the partition; all before it, and all again ${recoveryMs} ms after it`
})

const isAnswered = (state: string) => state === 'answered'

/** Invokes the command ten times concurrently. Returns the states of the interactions when none is pending. */
async function invokeAll(target: Target): Promise<string[]> {
  const invoked = await Promise.all(Array.from({ length: 10 }, () => target.command()))
  return Promise.all(
    invoked.map(async ({ id }) => {
      const { status, text, body } = await retry(pendingTimeoutMs, async () => {
        const read = await target.readAsUser(`/api/interactions/${id}`)
        assert.notEqual(read.body?.state, 'pending', 'an interaction is still pending')
        return read
      })
      assert.equal(status, 200, text)
      assert.match(body.state, /^(answered|timed_out|failed)$/)
      return body.state
    }),
  )
}

const prefix = `gh${process.pid % 10_000}`
const hub = `${prefix}h`
const nodes = [`${prefix}a`, `${prefix}b`] as const

/**
 * Creates two nodes and a hub, each in its own network namespace. A bridge in the hub connects the nodes with the hub.
 * Separate links connect the nodes with this process, so that clients still reach a node that is cut off.
 */
function createNetwork() {
  try {
    ip(
      [],
      ...[hub, ...nodes].map(name => `netns add ${name}`),
      `link add ${prefix}r netns ${hub} type veth peer name ${prefix}hub`,
      ...nodes.map((node, i) => `link add ${prefix}${i} netns ${hub} type veth peer name hub netns ${node}`),
      ...nodes.map((node, i) => `link add ${prefix}c${i} type veth peer name clients netns ${node}`),
      ...address(`${prefix}hub`, '10.213.0.9'),
      ...nodes.flatMap((_, i) => address(`${prefix}c${i}`, `10.213.${i + 1}.1`)),
    )
  } catch (error) {
    throw new Skip(`creating network namespaces failed: ${error}`)
  }
  const ports = ['r', '0', '1'].map(port => `link set ${prefix}${port} master br0 up`)
  ip(['-n', hub], 'link set lo up', 'link add br0 type bridge', ...address('br0', '10.213.0.1'), ...ports)
  for (const [i, node] of nodes.entries()) {
    const addresses = [...address('hub', `10.213.0.${i + 2}`), ...address('clients', `10.213.${i + 1}.2`)]
    ip(['-n', node], 'link set lo up', ...addresses)
  }
  const place = (host: string, name: string): NetworkAddress => ({
    host,
    wrapper: ['ip', 'netns', 'exec', name],
  })
  return {
    hub: place('10.213.0.1', hub),
    places: [place('10.213.1.2', nodes[0]), place('10.213.2.2', nodes[1])] as const,
    /** Drops all packets between the second node and the hub, like a switch without power. */
    cut: () => ip(['-n', hub], `link set ${prefix}1 nomaster`),
    heal: () => ip(['-n', hub], `link set ${prefix}1 master br0`),
  }
}

/** A namespace persists until its last process exits, so the links to this process are deleted separately. */
function removeNetwork(): void {
  const links = ['hub', 'c0', 'c1'].map(name => `link del ${prefix}${name}`)
  const namespaces = [hub, ...nodes].map(name => `netns del ${name}`)
  // Ignores links and namespaces that do not exist.
  try {
    ip(['-force'], ...links, ...namespaces)
  } catch {}
}

function address(device: string, ip: string): string[] {
  return [`addr add ${ip}/24 dev ${device}`, `link set ${device} up`]
}

function ip(options: readonly string[], ...commands: string[]): void {
  execFileSync('ip', [...options, '-batch', '-'], { input: commands.join('\n'), stdio: 'pipe' })
}
