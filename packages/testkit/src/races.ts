import type { TestResponse } from './service.ts'

/** A race is tried 200 times. */
export const rounds = 10
export const requestsPerRound = 20

/**
 * Sends requests at once, and makes the change while they are handled: later in each round, when more of them are
 * complete.
 */
export async function sendAround(
  round: number,
  request: (index: number) => Promise<TestResponse>,
  change: () => Promise<unknown>,
  count = requestsPerRound,
): Promise<TestResponse[]> {
  const after = Math.floor((round * count) / rounds)
  let complete = 0
  let changed = after === 0 ? change() : undefined
  const replies = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const reply = await request(index)
      complete++
      if (complete === after) changed = change()
      return reply
    }),
  )
  await changed
  return replies
}
