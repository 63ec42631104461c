import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type Community, fieldOf, makeCommunity, type Reply } from './community.ts'
import type { Fault } from './fault.ts'
import { connectBot, type Used, useCommand } from './interaction.ts'
import { createRandom } from './random.ts'

const lanes = 8

/** The successful operations of a round, which must persist after the restart. */
interface Answered {
  contents: Set<string>
  usedCodes: string[]
  usedRefreshTokens: string[]
  /** Access tokens that are still valid. */
  accessTokens: string[]
  callbacks: { path: string }[]
}

/** Kills the service with SIGKILL under load and restarts it, in several rounds. */
export const killFault: Fault = {
  name: 'kill',
  holds: 'no successful operation is lost; no code, refresh token or callback succeeds twice',
  limitMs: 900_000,
  async run(trial) {
    const random = createRandom(trial.seed)
    const rounds = trial.rounds ?? (trial.short ? 5 : 50)
    const service = await trial.start()
    const community = await makeCommunity(trial, service)
    const posted = new Set<string>()
    const totals = { messages: 0, codes: 0, refreshes: 0, callbacks: 0 }
    for (let round = 0; round < rounds; round++) {
      const answered: Answered = {
        contents: new Set(),
        usedCodes: [],
        usedRefreshTokens: [],
        accessTokens: [],
        callbacks: [],
      }
      let running = true
      const load = Promise.all([
        ...Array.from({ length: lanes }, (_, lane) =>
          postRepeatedly(community, round, lane, answered, () => running),
        ),
        ...Array.from({ length: lanes }, () => signInRepeatedly(community, answered, () => running)),
        interactRepeatedly(community, answered, () => running),
      ])
      await wait(200 + random.below(800))
      await service.end('SIGKILL')
      running = false
      await load
      await service.start()
      for (const content of answered.contents) posted.add(content)
      await assertKept(community, answered, round)
      totals.messages += answered.contents.size
      totals.codes += answered.usedCodes.length
      totals.refreshes += answered.usedRefreshTokens.length
      totals.callbacks += answered.callbacks.length
    }
    // Later kills must not lose messages of earlier rounds.
    assert.deepEqual(
      await community.missing(posted),
      [],
      'messages are missing although their request returned 200',
    )
    assert.ok(
      totals.messages > 0 && totals.codes > 0 && totals.refreshes > 0 && totals.callbacks > 0,
      'no load',
    )
    return `${rounds} rounds: ${totals.messages} messages, ${totals.codes} codes, ${totals.refreshes} refreshes, ${totals.callbacks} callbacks`
  },
}

type Running = () => boolean

async function postRepeatedly(
  community: Community,
  round: number,
  lane: number,
  answered: Answered,
  running: Running,
): Promise<void> {
  for (let n = 0; running(); n++) {
    const content = `round ${round} lane ${lane} message ${n}`
    const reply = await community.post(content).catch(() => undefined)
    if (reply === undefined) return
    assert.equal(reply.status, 200, reply.text)
    answered.contents.add(content)
  }
}

async function signInRepeatedly(community: Community, answered: Answered, running: Running): Promise<void> {
  // The outcome of a request without a response is unknown, so it is not checked.
  while (running()) {
    const code = await community.code().catch(() => undefined)
    if (code === undefined) return
    const first = await community.exchange(code).catch(() => undefined)
    if (first === undefined) return
    assert.equal(first.status, 200, first.text)
    answered.usedCodes.push(code)
    const access = fieldOf(first, 'access_token')
    const refreshToken = fieldOf(first, 'refresh_token')
    const second = await community.refresh(refreshToken).catch(() => undefined)
    // The refresh may have been committed, so the first access token is not checked.
    if (second === undefined) return
    assert.equal(second.status, 200, second.text)
    answered.usedRefreshTokens.push(refreshToken)
    answered.accessTokens.push(fieldOf(second, 'access_token'))
    assert.notEqual(access, fieldOf(second, 'access_token'))
  }
}

async function interactRepeatedly(community: Community, answered: Answered, running: Running): Promise<void> {
  const bot = await connectBot(community).catch(() => undefined)
  if (bot === undefined) return
  while (running()) {
    const used = await useCommand(community).catch(() => undefined)
    if (used?.status !== 202) break
    const event: Used | undefined = await bot.next()
    if (event === undefined) break
    const path: string = `/api/interactions/${event.id}/${event.token}/callback`
    const reply: Reply | undefined = await sendCallback(community, path).catch(() => undefined)
    if (reply === undefined) break
    assert.equal(reply.status, 200, reply.text)
    answered.callbacks.push({ path })
  }
  bot.close()
}

function sendCallback(community: Community, path: string): Promise<Reply> {
  return community.send(path, {
    method: 'POST',
    headers: { authorization: `Bot ${community.bot.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'message', data: { content: 'Here.' } }),
  })
}

async function assertKept(community: Community, answered: Answered, round: number): Promise<void> {
  const missing = await community.missing(answered.contents)
  assert.deepEqual(missing, [], `round ${round}: messages are missing although their request returned 200`)
  for (const token of answered.accessTokens) {
    const headers = { authorization: `Bearer ${token}` }
    assert.equal(
      (await community.send('/api/oauth2/userinfo', { headers })).status,
      200,
      'an access token is missing',
    )
  }
  for (const { path } of answered.callbacks) assert.equal((await sendCallback(community, path)).status, 409)
  for (const token of answered.usedRefreshTokens) assert.equal((await community.refresh(token)).status, 400)
  for (const code of answered.usedCodes) assert.equal((await community.exchange(code)).status, 400)
}
