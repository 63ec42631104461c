import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestResponse } from '@gatehouse/testkit/client'
import { installRollBot } from '@gatehouse/testkit/fixture'
import type { GatewayEvent, GatewaySession } from '@gatehouse/testkit/gateway-session'
import type { FaultContext } from './fault.ts'
import { createTarget, type Target } from './target.ts'

/** What succeeded during a fault and must persist. */
export interface Operations {
  usedCodes: string[]
  usedRefreshTokens: string[]
  /** Access tokens that are still valid. */
  accessTokens: string[]
  callbacks: Callback[]
}

/** A response to an interaction, by the bot of `target`. */
interface Callback {
  target: Target
  event: GatewayEvent
  content: string
}

export const createOperations = (): Operations => ({
  usedCodes: [],
  usedRefreshTokens: [],
  accessTokens: [],
  callbacks: [],
})

/** Signs in and refreshes until `fault` resolves. A request without success is unknown, so it is not checked. */
export async function repeatSignIns(
  target: Target,
  operations: Operations,
  fault: Promise<unknown>,
): Promise<void> {
  await repeatDuring(fault, () => signIn(target, operations))
  assert.ok(operations.accessTokens.length > 0, 'no load')
}

/** Uses commands and responds to them until `fault` resolves, like `repeatSignIns`. */
export async function repeatCallbacks(
  target: Target,
  operations: Operations,
  fault: Promise<unknown>,
): Promise<void> {
  let session: GatewaySession | undefined
  await repeatDuring(fault, async () => {
    session ??= await target.connectBot()
    if (await useCommand(target, session, operations)) return
    session.close()
    session = undefined
  })
  session?.close()
  assert.ok(operations.callbacks.length > 0, 'no callbacks')
}

/** Uses a command and responds to it. Returns false if the bot got no interaction. Throws if the command was refused. */
export async function useCommand(
  target: Target,
  session: GatewaySession,
  operations: Operations,
  isSuccess = hasSucceeded,
): Promise<boolean> {
  const { status } = await target.invoke()
  if (status !== 202) throw new Error(`the command was refused: ${status}`)
  const event = await session.next('INTERACTION_CREATE')
  if (event === undefined) return false
  const content = `Response to ${event.d.id}`
  const response = await target.respond(event, content)
  if (isSuccess(response)) operations.callbacks.push({ target, event, content })
  return true
}

/** The same service with a bot of its own, because each interaction reaches only one session of a bot. */
export async function withOwnBot(context: FaultContext, target: Target): Promise<Target> {
  const { user, serverId, service } = target
  const { token, commandId } = await installRollBot(service, user, serverId)
  return createTarget(context, service, { ...target, bot: { token, commandId } })
}

async function repeatDuring(fault: Promise<unknown>, work: () => Promise<void>): Promise<void> {
  let isOver = false
  void fault.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await work().catch(error => {
      if (error instanceof assert.AssertionError) throw error
    })
    await wait(20)
  }
}

const hasSucceeded = ({ status }: TestResponse) => status === 200

export async function signIn(
  target: Target,
  operations: Operations,
  isSuccess = hasSucceeded,
): Promise<void> {
  const code = (await target.authorize()) ?? ''
  const issued = await target.exchange(code)
  if (!isSuccess(issued)) return
  operations.usedCodes.push(code)
  // If this refresh fails, it may have been committed, so the first access token is not checked.
  const refreshed = await target.refresh(issued.body.refresh_token)
  if (!isSuccess(refreshed)) return
  operations.usedRefreshTokens.push(issued.body.refresh_token)
  operations.accessTokens.push(refreshed.body.access_token)
  assert.notEqual(issued.body.access_token, refreshed.body.access_token)
}

/** Checks that all successful operations persist, and that none succeeds again. */
export async function assertOnce(target: Target, operations: Operations): Promise<void> {
  for (const token of operations.accessTokens)
    assert.equal((await target.userinfo(token)).status, 200, 'an access token is missing')
  for (const token of operations.usedRefreshTokens) assert.equal((await target.refresh(token)).status, 400)
  for (const code of operations.usedCodes) assert.equal((await target.exchange(code)).status, 400)
  const missing = await target.findMissing(operations.callbacks.map(({ content }) => content))
  assert.deepEqual(missing, [], 'the responses of bots are missing although their request returned 200')
  for (const { target: bot, event } of operations.callbacks)
    assert.equal((await bot.respond(event)).status, 409, 'a second callback')
}
