import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { assertWorks, type Community, makeCommunity } from './community.ts'
import { assertKept, type Watched, watchDoors, wordsFor } from './doors.ts'
import type { Fault } from './fault.ts'
import { connectBot, connectPerson, type Session, useCommand } from './interaction.ts'
import { untilReady } from './postgres.fault.ts'
import { startOwnNats } from './servers.ts'

/** Kills NATS with SIGKILL and restarts it, several times. */
export const busFault: Fault = {
  name: 'bus',
  holds: 'bus restart: no successful request is lost, bots and gateway sessions recover without a restart',
  limitMs: 240_000,
  async run(trial) {
    const server = (await startOwnNats()) ?? trial.cannot('nats-server is not installed')
    trial.after(() => server.remove())
    const service = await trial.start({ env: { NATS_URL: server.url } })
    const community = await makeCommunity(trial, service)
    await assertInteracts(community)
    const rounds: Watched[] = []
    for (let round = 0; round < (trial.short ? 2 : 5); round++) {
      const user = await connectPerson(community)
      const watched = await watchDoors(
        community,
        (async () => {
          await wait(500)
          await server.kill()
          await wait(1000)
          assert.equal((await community.send('/readyz')).status, 503)
          const used = await useCommand(community)
          assert.ok([202, 503].includes(used.status), `interaction: ${used.status} ${used.text}`)
          await wait(500)
          await server.start()
        })(),
      )
      rounds.push(watched)
      await untilReady(service.url)
      await assertWorks(community)
      await assertKept(community, [watched])
      await assertInteracts(community)
      await assertReceives(community, user)
    }
    return `${rounds.length} restarts: ${rounds.map(wordsFor).join('; ')}`
  },
}

/** Checks that a user can invoke the command and the bot can respond. */
async function assertInteracts(community: Community): Promise<void> {
  const bot = await connectBot(community)
  try {
    const used = await useCommand(community)
    assert.equal(used.status, 202, used.text)
    const event = await bot.next()
    assert.ok(event !== undefined, 'the bot got no interaction')
    const response = await community.send(`/api/interactions/${event.id}/${event.token}/callback`, {
      method: 'POST',
      headers: { authorization: `Bot ${community.bot.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'message', data: { content: 'Here.' } }),
    })
    assert.equal(response.status, 200, response.text)
  } finally {
    bot.close()
  }
}

/** Checks that an existing session gets Reconnect or still receives dispatches. */
async function assertReceives(community: Community, user: Session): Promise<void> {
  const before = user.frames.length
  assert.equal((await community.post('Dispatch test')).status, 200)
  const deadline = performance.now() + 5000
  while (performance.now() < deadline) {
    if (user.frames.slice(before).some(({ t }) => t === 'MESSAGE_CREATE')) return user.close()
    if (user.frames.some(({ op }) => op === 7)) return user.close()
    await wait(50)
  }
  assert.fail('an open session receives no dispatches')
}
