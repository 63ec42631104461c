import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { assertWorks, type Community, makeCommunity } from './community.ts'
import { assertKept, type Watched, watchDoors, wordsFor } from './doors.ts'
import type { Fault } from './fault.ts'
import { connectBot, connectPerson, type Session, useCommand } from './interaction.ts'
import { untilReady } from './postgres.fault.ts'
import { startOwnNats } from './servers.ts'

/** NATS is killed, and comes back. */
export const busFault: Fault = {
  name: 'bus',
  holds: 'bus gone and back: nothing answered is lost, bots and sockets work again by themselves',
  limitMs: 240_000,
  async run(trial) {
    const server = (await startOwnNats()) ?? trial.cannot('nats-server is not installed')
    trial.after(() => server.remove())
    const service = await trial.start({ env: { NATS_URL: server.url } })
    const community = await makeCommunity(trial, service)
    await assertInteracts(community)
    const rounds: Watched[] = []
    for (let round = 0; round < (trial.short ? 2 : 5); round++) {
      const person = await connectPerson(community)
      const watched = await watchDoors(
        community,
        (async () => {
          await wait(500)
          await server.kill()
          await wait(1000)
          assert.equal((await community.send('/readyz')).status, 503)
          const used = await useCommand(community)
          assert.ok([202, 503].includes(used.status), `an interaction: ${used.status} ${used.text}`)
          await wait(500)
          await server.start()
        })(),
      )
      rounds.push(watched)
      await untilReady(service.url)
      await assertWorks(community)
      await assertKept(community, [watched])
      await assertInteracts(community)
      await assertHears(community, person)
    }
    return `${rounds.length} times: ${rounds.map(wordsFor).join('; ')}`
  },
}

/** A person uses the command, the bot answers. */
async function assertInteracts(community: Community): Promise<void> {
  const bot = await connectBot(community)
  try {
    const used = await useCommand(community)
    assert.equal(used.status, 202, used.text)
    const event = await bot.next()
    assert.ok(event !== undefined, 'the bot was not asked')
    const answer = await community.send(`/api/interactions/${event.id}/${event.token}/callback`, {
      method: 'POST',
      headers: { authorization: `Bot ${community.bot.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'message', data: { content: 'Here.' } }),
    })
    assert.equal(answer.status, 200, answer.text)
  } finally {
    bot.close()
  }
}

/** A session from before was told to reconnect, or hears as before: it never stays open and deaf. */
async function assertHears(community: Community, person: Session): Promise<void> {
  const before = person.frames.length
  assert.equal((await community.post('Do you hear?')).status, 200)
  const deadline = performance.now() + 5000
  while (performance.now() < deadline) {
    if (person.frames.slice(before).some(({ t }) => t === 'MESSAGE_CREATE')) return person.close()
    if (person.frames.some(({ op }) => op === 7)) return person.close()
    await wait(50)
  }
  assert.fail('a session is open and deaf')
}
