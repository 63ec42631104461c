import assert from 'node:assert/strict'
import { fieldOf, makeCommunity, type Reply } from './community.ts'
import type { Fault } from './fault.ts'
import { connectBot, useCommand } from './interaction.ts'

const tries = 200

/** What must work once, tried by many at the same time. */
export const onceFault: Fault = {
  name: 'once',
  holds: 'of 200 redemptions of one code, one refresh token, one interaction exactly one succeeds',
  limitMs: 120_000,
  async run(trial) {
    const community = await makeCommunity(trial, await trial.start())
    const code = (await community.code()) ?? ''
    const tokens = await all(() => community.exchange(code))
    const issued = one(tokens, 'code', 400)
    assert.ok(issued.text.includes('access_token'))

    const fresh = await community.exchange((await community.code()) ?? '')
    one(await all(() => community.refresh(fieldOf(fresh, 'refresh_token'))), 'refresh token', 400)

    const bot = await connectBot(community)
    assert.equal((await useCommand(community)).status, 202)
    const event = await bot.next()
    assert.ok(event !== undefined, 'the bot was not asked')
    const replies = await all(() =>
      community.send(`/api/interactions/${event.id}/${event.token}/callback`, {
        method: 'POST',
        headers: { authorization: `Bot ${community.bot.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'message', data: { content: 'Once.' } }),
      }),
    )
    one(replies, 'callback', 409)
    bot.close()
    assert.ok((await community.contents(10)).has('Once.'))
    return `${tries} tries of each`
  },
}

function all(attempt: () => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: tries }, attempt))
}

function one(replies: readonly Reply[], what: string, refusal: number): Reply {
  const good = replies.filter(({ status }) => status === 200)
  const [first] = good
  assert.ok(first !== undefined && good.length === 1, `${what}: ${good.length} succeeded`)
  const others = replies.filter(({ status }) => status !== 200 && status !== refusal)
  assert.deepEqual(
    others.map(({ status }) => status),
    [],
    what,
  )
  return first
}
