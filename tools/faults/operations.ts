import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Target } from './target.ts'

/** What succeeded during a fault and must persist. */
export interface Operations {
  usedCodes: string[]
  usedRefreshTokens: string[]
  /** Access tokens that are still valid. */
  accessTokens: string[]
}

export const createOperations = (): Operations => ({ usedCodes: [], usedRefreshTokens: [], accessTokens: [] })

/** Signs in and refreshes until `fault` resolves. A request without success is unknown, so it is not checked. */
export async function repeatSignIns(
  target: Target,
  operations: Operations,
  fault: Promise<unknown>,
): Promise<void> {
  let isOver = false
  void fault.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await signIn(target, operations).catch(error => {
      if (error instanceof assert.AssertionError) throw error
    })
    await wait(20)
  }
}

async function signIn(target: Target, operations: Operations): Promise<void> {
  const code = await target.authorize()
  if (code === undefined) return
  const issued = await target.exchange(code)
  if (issued.status !== 200) return
  operations.usedCodes.push(code)
  const refreshed = await target.refresh(issued.body.refresh_token)
  if (refreshed.status !== 200) return
  operations.usedRefreshTokens.push(issued.body.refresh_token)
  operations.accessTokens.push(refreshed.body.access_token)
}

/** Checks that all successful operations persist, and that none succeeds again. */
export async function assertOnce(target: Target, operations: Operations): Promise<void> {
  assert.ok(operations.accessTokens.length > 0, 'no load')
  for (const token of operations.accessTokens)
    assert.equal((await target.userinfo(token)).status, 200, 'an access token is missing')
  for (const token of operations.usedRefreshTokens) assert.equal((await target.refresh(token)).status, 400)
  for (const code of operations.usedCodes) assert.equal((await target.exchange(code)).status, 400)
}
