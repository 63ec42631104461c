import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestResponse } from '@gatehouse/testkit/client'
import { installRollBot } from '@gatehouse/testkit/fixture'
import type { GatewaySession } from '@gatehouse/testkit/gateway-session'
import type { ServerProcess } from '@gatehouse/testkit/server-process'
import { short } from './settings.ts'
import { createTarget, type Target } from './target.ts'

const pauseMs = 20
const maxResponseMs = 12_000

/** Calls `work` again and again until `fault` is settled. */
export async function repeatDuring(
  fault: Promise<unknown>,
  work: (number: number) => Promise<unknown>,
  pause = pauseMs,
): Promise<void> {
  const over = new AbortController()
  fault.finally(() => over.abort()).catch(() => undefined)
  for (let number = 0; !over.signal.aborted; number++) {
    await work(number)
    if (pause > 0) await wait(pause)
  }
}

/** The outcome of a request without a response is unknown, so it is not checked. */
export async function ignoreLostConnection(work: Promise<unknown>): Promise<void> {
  await work.catch(error => {
    if (error instanceof assert.AssertionError) throw error
  })
}

/** Requests whose success must persist and not succeed again. */
export class Load {
  readonly #mustSucceed: boolean
  /** The contents of messages. */
  readonly #contents: string[] = []
  /** What requests must be answered from now on. */
  #later: { what: string; status: number; send: (target: Target) => Promise<TestResponse> }[] = []
  readonly #counts = { messages: 0, codes: 0, 'refresh tokens': 0, callbacks: 0 }

  /** `mustSucceed`: each response must be a success. */
  constructor(mustSucceed = false) {
    this.#mustSucceed = mustSucceed
  }

  async post(target: Target, content: string): Promise<TestResponse> {
    const response = await target.post(content)
    if (this.#hasSucceeded(response, 'messages')) this.#contents.push(content)
    return response
  }

  /** Signs in and refreshes. */
  async signIn(target: Target): Promise<void> {
    const code = (await target.authorize()) ?? ''
    const issued = await target.exchange(code)
    if (!this.#hasSucceeded(issued, 'codes')) return
    const { access_token: firstToken, refresh_token: refreshToken } = issued.body
    this.#later.push({ what: 'a used code', status: 400, send: node => node.exchange(code) })
    // If this refresh fails, it may have been committed, so the first access token is not checked.
    const refreshed = await target.refresh(refreshToken)
    if (!this.#hasSucceeded(refreshed, 'refresh tokens')) return
    const token = refreshed.body.access_token
    assert.notEqual(token, firstToken)
    // First, because the second use of a code revokes the token.
    this.#later.unshift({ what: 'an access token', status: 200, send: node => node.userinfo(token) })
    this.#later.push({ what: 'a used refresh token', status: 400, send: node => node.refresh(refreshToken) })
  }

  /** Uses commands and responds to them until `fault` is settled. */
  async repeatCallbacks(target: Target, fault: Promise<unknown>): Promise<void> {
    let session: GatewaySession | undefined
    const useCommand = async () => {
      session ??= await target.connectBot()
      if ((await target.invoke()).status !== 202) return
      const event = await session.next('INTERACTION_CREATE')
      if (event === undefined) {
        session.close()
        session = undefined
        return
      }
      const content = `Response to ${event.d.id}`
      if (!this.#hasSucceeded(await target.respond(event, content), 'callbacks')) return
      this.#contents.push(content)
      this.#later.push({ what: 'a second callback', status: 409, send: () => target.respond(event) })
    }
    await repeatDuring(fault, () => ignoreLostConnection(useCommand()))
    session?.close()
  }

  /** Checks that all messages persist, and once that nothing else succeeds again. */
  async assertKept(target: Target): Promise<void> {
    const missing = await target.findMissing(this.#contents)
    assert.deepEqual(missing, [], 'messages and responses of bots are missing that were answered with 200')
    for (const { what, status, send } of this.#later) assert.equal((await send(target)).status, status, what)
    this.#later = []
  }

  /** Returns how many requests of each kind have succeeded. Fails if there is none of one. */
  summarize(): string {
    const counts = Object.entries(this.#counts)
    for (const [name, count] of counts) assert.ok(count > 0, `no load: no ${name}`)
    return counts.map(([name, count]) => `${count} ${name}`).join(', ')
  }

  #hasSucceeded({ status, text }: TestResponse, kind: 'messages' | 'codes' | 'refresh tokens' | 'callbacks') {
    if (this.#mustSucceed) assert.equal(status, 200, text)
    if (status !== 200) return false
    this.#counts[kind]++
    return true
  }
}

/**
 * Sends webhook, token and message list requests until `fault` resolves. Checks that each response has the expected
 * status or is a 503 with `Retry-After`, and that it arrives within `maxResponseMs`.
 */
export async function runWorkload(target: Target, load: Load, fault: Promise<unknown>): Promise<Responses> {
  const statuses = new Map<number, number>()
  let slowestMs = 0
  const id = randomUUID()

  async function check(name: string, expected: number, request: () => Promise<TestResponse>): Promise<void> {
    const start = performance.now()
    const { status, text, headers } = await request()
    slowestMs = Math.max(slowestMs, performance.now() - start)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    assert.ok(status === expected || status === 503, `${name}: ${status} ${text}`)
    if (status !== 503) return
    assert.ok(Number(headers.get('retry-after')) > 0, '503 without Retry-After')
    await wait(pauseMs)
  }

  await Promise.all([
    fault,
    ...[0, 1, 2, 3].map(worker => {
      const send = (number: number) => load.post(target, `${id} ${worker} ${number}`)
      return repeatDuring(fault, number => check('webhook post', 200, () => send(number)), 0)
    }),
    repeatDuring(fault, () => check('invalid code', 400, () => target.exchange('gac_nothing'))),
    repeatDuring(fault, () => check('message list', 200, () => target.listMessages())),
  ])
  assert.ok(slowestMs < maxResponseMs, `a response took ${Math.round(slowestMs)} ms`)
  const summary = `${formatStatuses(statuses)}, slowest ${Math.round(slowestMs)} ms`
  return { statuses, summary }
}

/** The number of responses by status, and a summary with the slowest of them. */
interface Responses {
  statuses: ReadonlyMap<number, number>
  summary: string
}

export function assertUnavailable({ statuses }: Responses): void {
  assert.ok(statuses.has(503), 'no request returned 503')
}

export function formatStatuses(statuses: ReadonlyMap<number, number>): string {
  const sorted = [...statuses].toSorted(([a], [b]) => a - b)
  return sorted.map(([status, count]) => `${count} × ${status}`).join(', ')
}

/** Checks that sign-in, token, userinfo and webhook requests succeed. */
export async function assertWorks(target: Target): Promise<void> {
  const load = new Load(true)
  await load.signIn(target)
  await load.post(target, `It works ${randomUUID()}`)
  await load.assertKept(target)
}

/**
 * Runs the workload on the first node, and sign-ins and callbacks on all nodes, while `fail` runs. Checks then that all
 * nodes work and that nothing is lost.
 */
export async function runOnNodes(
  nodes: readonly [Target, Target],
  fail: () => Promise<void>,
): Promise<Responses> {
  const load = new Load()
  // Each with a bot of its own, because each interaction reaches only one session of a bot.
  const withBots: Target[] = []
  for (const node of nodes) {
    const bot = await installRollBot(node.service, node.user, node.serverId)
    withBots.push(await createTarget(node.service, { ...node, bot }))
  }
  const fault = fail()
  const [{ statuses, summary }] = await Promise.all([
    runWorkload(nodes[0], load, fault),
    ...nodes.map(node => repeatDuring(fault, () => ignoreLostConnection(load.signIn(node)))),
    ...withBots.map(node => load.repeatCallbacks(node, fault)),
  ])
  for (const node of nodes) await assertWorks(node)
  await load.assertKept(nodes[1])
  return { statuses, summary: `${summary}; ${load.summarize()}` }
}

/** After each round, nothing is lost that was answered in this round and before. */
export async function repeatRounds(target: Target, round: (load: Load) => Promise<string>): Promise<string> {
  const load = new Load()
  const summaries: string[] = []
  while (summaries.length < (short ? 2 : 5)) {
    summaries.push(await round(load))
    await assertWorks(target)
    await load.assertKept(target)
  }
  return `${summaries.length} restarts: ${summaries.join('; ')}`
}

/** Kills and starts the server. Runs `f` in between, while the service must not be ready. */
export async function restart(
  target: Target,
  server: ServerProcess,
  delayMs: number,
  f: () => Promise<void>,
): Promise<void> {
  await wait(delayMs)
  await server.end('SIGKILL')
  await f()
  assert.equal((await target.send('/readyz')).status, 503)
  await server.start()
}
