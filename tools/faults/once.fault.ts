import assert from 'node:assert/strict'
import { fieldOf, makeCommunity, type Reply } from './community.ts'
import type { Fault } from './fault.ts'
import { connectBot, useCommand } from './interaction.ts'

const attempts = 200

/** Sends concurrent requests of which only one may succeed. */
export const onceFault: Fault = {
  name: 'once',
  holds: 'exactly one of 200 concurrent uses of a code, refresh token or interaction succeeds',
  limitMs: 120_000,
  async run(trial) {
    const community = await makeCommunity(trial, await trial.start())
    const code = (await community.code()) ?? ''
    const tokens = await sendAll(() => community.exchange(code))
    const issued = assertOneSucceeds(tokens, 'code', 400)
    assert.ok(issued.text.includes('access_token'))

    const newTokens = await community.exchange((await community.code()) ?? '')
    assertOneSucceeds(
      await sendAll(() => community.refresh(fieldOf(newTokens, 'refresh_token'))),
      'refresh token',
      400,
    )

    const bot = await connectBot(community)
    assert.equal((await useCommand(community)).status, 202)
    const event = await bot.next()
    assert.ok(event !== undefined, 'the bot got no interaction')
    const replies = await sendAll(() =>
      community.send(`/api/interactions/${event.id}/${event.token}/callback`, {
        method: 'POST',
        headers: { authorization: `Bot ${community.bot.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'message', data: { content: 'Once.' } }),
      }),
    )
    assertOneSucceeds(replies, 'callback', 409)
    bot.close()
    assert.ok((await community.contents(10)).has('Once.'))
    return `${attempts} attempts of each`
  },
}

function sendAll(attempt: () => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: attempts }, attempt))
}

function assertOneSucceeds(replies: readonly Reply[], what: string, refusal: number): Reply {
  const succeeded = replies.filter(({ status }) => status === 200)
  const [first] = succeeded
  assert.ok(first !== undefined && succeeded.length === 1, `${what}: ${succeeded.length} requests succeeded`)
  const others = replies.filter(({ status }) => status !== 200 && status !== refusal)
  assert.deepEqual(
    others.map(({ status }) => status),
    [],
    what,
  )
  return first
}
