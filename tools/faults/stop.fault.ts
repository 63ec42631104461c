import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { HttpConnection, requestText } from '../../bench/load/http-connection.ts'
import { makeCommunity } from './community.ts'
import type { Fault } from './fault.ts'
import { connectBot, connectPerson } from './interaction.ts'

const lanes = 30

/** SIGTERM while requests are under way and sockets are open. */
export const stopFault: Fault = {
  name: 'stop',
  holds: 'every request in flight is answered, sockets are told to reconnect, exit within 10 s',
  limitMs: 180_000,
  async run(trial) {
    const rounds = trial.short ? 2 : 10
    let answered = 0
    let slowest = 0
    const service = await trial.start()
    const community = await makeCommunity(trial, service)
    for (let round = 0; round < rounds; round++) {
      const sessions = [await connectBot(community), await connectPerson(community)]
      const faults: string[] = []
      const lost: string[] = []
      const contents = new Set<string>()
      let stopping = false
      const load = Array.from({ length: lanes }, async (_, lane) => {
        const connection = new HttpConnection(service.port)
        for (let n = 0; !stopping; n++) {
          const content = `stop ${round} ${lane} ${n}`
          const body = JSON.stringify({ content })
          const text = requestText(
            'POST',
            `${community.webhook}?wait=true`,
            { 'content-type': 'application/json' },
            body,
          )
          // All of them are sent before the signal.
          const answer = await connection.request(text).catch((error: Error) => error)
          if (answer instanceof Error) {
            lost.push(`${content}: ${answer.message}`)
            break
          }
          if (answer.status === 200) contents.add(content)
          else if (answer.status !== 503) faults.push(`${answer.status} ${answer.body}`)
          answered++
        }
        // Kept alive, as a proxy keeps its own: the service ends all the same.
        return connection
      })
      await wait(500)
      const begun = performance.now()
      stopping = true
      const code = await service.end('SIGTERM')
      const ms = performance.now() - begun
      slowest = Math.max(slowest, ms)
      for (const connection of await Promise.all(load)) connection.close()
      assert.equal(code, 0, `it ended with ${code}`)
      assert.ok(ms < 10_000, `it took ${ms} ms to end`)
      assert.deepEqual(faults, [])
      assert.deepEqual(lost, [], 'in flight when it was told to stop, and not answered')
      for (const session of sessions) {
        await session.closed
        assert.equal(session.frames.at(-1)?.op, 7, 'a socket was not told to reconnect')
      }
      await service.start()
      const there = await community.contents(answered + 1000)
      const missing = [...contents].filter(content => !there.has(content))
      assert.deepEqual(missing, [], 'answered with success and gone')
    }
    return `${rounds} stops, ${answered} requests answered, the slowest in ${Math.round(slowest)} ms`
  },
}
