import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestResponse } from '@gatehouse/testkit/client'
import { installRollBot } from '@gatehouse/testkit/fixture'
import type { GatewayEvent, GatewaySession } from '@gatehouse/testkit/gateway-session'
import type { ServerProcess } from '@gatehouse/testkit/server-process'
import { short } from './settings.ts'
import { createTarget, type Target } from './target.ts'

/** What the service has answered with success, so that it must persist and not succeed again. */
export interface Answered {
  /** Contents of messages. */
  messages: string[]
  usedCodes: string[]
  usedRefreshTokens: string[]
  /** Those that are still valid. */
  accessTokens: string[]
  /** Responses to interactions, by the bot of `target`. */
  callbacks: { target: Target; event: GatewayEvent; content: string }[]
}

export function nothingAnswered(): Answered {
  return { messages: [], usedCodes: [], usedRefreshTokens: [], accessTokens: [], callbacks: [] }
}

const pauseMs = 20
const maxResponseMs = 12_000

const hasSucceeded = ({ status }: TestResponse) => status === 200

export function mustSucceed({ status, text }: TestResponse): boolean {
  assert.equal(status, 200, text)
  return true
}

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

export async function post(target: Target, answered: Answered, content: string): Promise<TestResponse> {
  const response = await target.post(content)
  if (response.status === 200) answered.messages.push(content)
  return response
}

/** Signs in and refreshes. */
export async function signIn(target: Target, answered: Answered, isSuccess = hasSucceeded): Promise<void> {
  const code = (await target.authorize()) ?? ''
  const issued = await target.exchange(code)
  if (!isSuccess(issued)) return
  answered.usedCodes.push(code)
  // If this refresh fails, it may have been committed, so the first access token is not checked.
  const refreshed = await target.refresh(issued.body.refresh_token)
  if (!isSuccess(refreshed)) return
  answered.usedRefreshTokens.push(issued.body.refresh_token)
  answered.accessTokens.push(refreshed.body.access_token)
  assert.notEqual(issued.body.access_token, refreshed.body.access_token)
}

/** Uses commands and responds to them until `fault` is settled. */
export async function repeatCallbacks(
  target: Target,
  answered: Answered,
  fault: Promise<unknown>,
  isSuccess = hasSucceeded,
): Promise<void> {
  let session: GatewaySession | undefined
  async function useCommand(): Promise<void> {
    session ??= await target.connectBot()
    const { status } = await target.invoke()
    if (status !== 202) return
    const event = await session.next('INTERACTION_CREATE')
    if (event === undefined) {
      session.close()
      session = undefined
      return
    }
    const content = `Response to ${event.d.id}`
    if (isSuccess(await target.respond(event, content))) answered.callbacks.push({ target, event, content })
  }
  await repeatDuring(fault, () => ignoreLostConnection(useCommand()))
  session?.close()
}

/** Checks that all that was answered with success persists, and that nothing succeeds again. */
export async function assertKept(target: Target, answered: Answered): Promise<void> {
  const { messages, accessTokens, usedRefreshTokens, usedCodes, callbacks } = answered
  assert.deepEqual(await target.findMissing(messages), [], 'messages are missing that were answered with 200')
  for (const token of accessTokens)
    assert.equal((await target.userinfo(token)).status, 200, 'an access token is missing')
  for (const token of usedRefreshTokens) assert.equal((await target.refresh(token)).status, 400)
  for (const code of usedCodes) assert.equal((await target.exchange(code)).status, 400)
  const missing = await target.findMissing(callbacks.map(({ content }) => content))
  assert.deepEqual(missing, [], 'the responses of bots are missing although their request returned 200')
  for (const { target: bot, event } of callbacks)
    assert.equal((await bot.respond(event)).status, 409, 'a second callback')
}

/**
 * Sends webhook, token and message list requests until `fault` resolves. Checks that each response has the expected
 * status or is a 503 with `Retry-After`, and that it arrives within `maxResponseMs`.
 */
export async function runWorkload(target: Target, answered: Answered, fault: Promise<unknown>) {
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
      const send = (number: number) => post(target, answered, `${id} ${worker} ${number}`)
      return repeatDuring(fault, number => check('webhook post', 200, () => send(number)), 0)
    }),
    repeatDuring(fault, () => check('invalid code', 400, () => target.exchange('gac_nothing'))),
    repeatDuring(fault, () => check('message list', 200, () => target.listMessages())),
  ])
  assert.ok(slowestMs < maxResponseMs, `a response took ${Math.round(slowestMs)} ms`)
  return { statuses, slowestMs }
}

/** Checks that sign-in, token, userinfo and webhook requests succeed. */
export async function assertWorks(target: Target): Promise<void> {
  const answered = nothingAnswered()
  await signIn(target, answered, mustSucceed)
  mustSucceed(await post(target, answered, `It works ${randomUUID()}`))
  await assertKept(target, answered)
}

/** The number of responses by status, and the slowest of them. */
type Responses = Awaited<ReturnType<typeof runWorkload>>

/**
 * Runs the workload on the first node, and sign-ins and callbacks on all nodes, while `fail` runs. Checks then that all
 * nodes work and that nothing is lost.
 */
export async function runOnNodes(nodes: readonly [Target, Target], fail: () => Promise<void>) {
  const answered = nothingAnswered()
  // Each with a bot of its own, because each interaction reaches only one session of a bot.
  const withBots: Target[] = []
  for (const node of nodes) {
    const bot = await installRollBot(node.service, node.user, node.serverId)
    withBots.push(await createTarget(node.service, { ...node, bot }))
  }
  const fault = fail()
  const [responses] = await Promise.all([
    runWorkload(nodes[0], answered, fault),
    ...nodes.map(node => repeatDuring(fault, () => ignoreLostConnection(signIn(node, answered)))),
    ...withBots.map(node => repeatCallbacks(node, answered, fault)),
  ])
  for (const node of nodes) await assertWorks(node)
  assertLoad(answered)
  await assertKept(nodes[1], answered)
  return { responses, summary: `${describe(responses)}; ${describeAnswered(answered)}` }
}

/** After each round, nothing is lost that was answered in this round and before. */
export async function repeatRounds(
  target: Target,
  round: (answered: Answered) => Promise<string>,
): Promise<string> {
  const answered = nothingAnswered()
  const summaries: string[] = []
  while (summaries.length < (short ? 2 : 5)) {
    summaries.push(await round(answered))
    await assertWorks(target)
    await assertKept(target, answered)
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

export function assertLoad(answered: Answered): void {
  for (const [name, { length }] of Object.entries(answered)) assert.ok(length > 0, `no load: no ${name}`)
}

export function assertUnavailable({ statuses }: Responses): void {
  assert.ok(statuses.has(503), 'no request returned 503')
}

export function describeAnswered(answered: Answered): string {
  return Object.entries(answered)
    .map(([name, { length }]) => `${length} ${name}`)
    .join(', ')
}

export function describe({ statuses, slowestMs }: Responses): string {
  return `${formatStatuses(statuses)}, slowest ${Math.round(slowestMs)} ms`
}

export function formatStatuses(statuses: ReadonlyMap<number, number>): string {
  const sorted = [...statuses].toSorted(([a], [b]) => a - b)
  return sorted.map(([status, count]) => `${count} × ${status}`).join(', ')
}
