import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { startNats, startPostgres } from '@gatehouse/testkit/local-servers'
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
  const { host, place, cut, heal } = createNetwork()
  const database = context.use('PostgreSQL', await startPostgres(host))
  const bus = context.use('nats-server', await startNats(host))
  const [a, b] = await context.startNodes([{}, place], { DATABASE_URL: database.url, NATS_URL: bus.url })
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

const namespace = `gh${process.pid % 10_000}`
const bridge = `${namespace}br`
/** The ends of the two links of the namespace that are in the namespace of this process. */
const [serverLink, clientLink] = [`${namespace}s`, `${namespace}c`]

/**
 * Creates a network namespace for a node. One link connects it with a bridge, on which the servers listen. Another one
 * connects it with its clients, so that they still reach a node that is cut off.
 */
function createNetwork() {
  const host = '10.213.0.1'
  try {
    ip(
      [],
      `netns add ${namespace}`,
      `link add ${bridge} type bridge`,
      `link add ${serverLink} type veth peer name servers netns ${namespace}`,
      `link add ${clientLink} type veth peer name clients netns ${namespace}`,
      `link set ${serverLink} master ${bridge} up`,
      ...address(bridge, host),
      ...address(clientLink, '10.213.1.1'),
    )
  } catch (error) {
    throw new Skip(`creating a network namespace failed: ${error}`)
  }
  const addresses = [...address('servers', '10.213.0.2'), ...address('clients', '10.213.1.2')]
  ip(['-n', namespace], 'link set lo up', ...addresses)
  return {
    host,
    place: { host: '10.213.1.2', wrapper: ['ip', 'netns', 'exec', namespace] },
    /** Drops all packets between the node and the servers, like a switch without power. */
    cut: () => ip([], `link set ${serverLink} nomaster`),
    heal: () => ip([], `link set ${serverLink} master ${bridge}`),
  }
}

/** The namespace persists until its last process exits, so the links are deleted separately. */
function removeNetwork(): void {
  const links = [serverLink, clientLink, bridge].map(name => `link del ${name}`)
  // Ignores what does not exist.
  try {
    ip(['-force'], ...links, `netns del ${namespace}`)
  } catch {}
}

function address(device: string, ip: string): string[] {
  return [`addr add ${ip}/24 dev ${device}`, `link set ${device} up`]
}

function ip(options: readonly string[], ...commands: string[]): void {
  execFileSync('ip', [...options, '-batch', '-'], { input: commands.join('\n'), stdio: 'pipe' })
}
