import assert from 'node:assert/strict'
import type { TestResponse } from '@gatehouse/testkit/client'
import { bothEngines, type Fault } from './fault.ts'
import { createTarget } from './target.ts'

const attempts = 200

/** Sends concurrent requests of which only one may succeed. */
export const onceFault: Fault = {
  name: 'once',
  invariant: 'exactly one of 200 concurrent uses of a code, refresh token or interaction succeeds',
  engines: bothEngines,
  timeoutMs: 120_000,
  async run(context) {
    const target = await createTarget(context, await context.startService())
    const code = (await target.authorize()) ?? ''
    const issued = await assertOneSucceeds('code', 400, () => target.exchange(code))
    assert.ok(issued.body.access_token)

    const tokens = await target.exchange((await target.authorize()) ?? '')
    await assertOneSucceeds('refresh token', 400, () => target.refresh(tokens.body.refresh_token))

    const session = await target.connectBot()
    assert.equal((await target.invoke()).status, 202)
    const event = await session.next('INTERACTION_CREATE')
    assert.ok(event !== undefined, 'the bot got no interaction')
    await assertOneSucceeds('callback', 409, () => target.respond(event, 'Once'))
    session.close()
    assert.deepEqual(await target.findMissing(['Once']), [])
    return `${attempts} attempts of each`
  },
}

/** Sends the request concurrently. All but one response must have the status `refusal`. */
async function assertOneSucceeds(
  name: string,
  refusal: number,
  send: () => Promise<TestResponse>,
): Promise<TestResponse> {
  const responses = await Promise.all(Array.from({ length: attempts }, send))
  const [success, ...others] = responses.toSorted((a, b) => a.status - b.status)
  assert.equal(success?.status, 200, name)
  assert.deepEqual(
    others.filter(({ status }) => status !== refusal).map(({ status }) => status),
    [],
    name,
  )
  return success
}
