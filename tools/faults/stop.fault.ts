import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { HttpConnection, requestText } from '../../bench/load/http-connection.ts'
import { makeCommunity } from './community.ts'
import type { Fault } from './fault.ts'
import { connectBot, connectPerson } from './interaction.ts'

const lanes = 30

/** Sends SIGTERM during requests and with open gateway connections. */
export const stopFault: Fault = {
  name: 'stop',
  holds: 'every request in flight gets a response, gateway sessions get Reconnect, exit within 10 s',
  limitMs: 180_000,
  async run(trial) {
    const rounds = trial.short ? 2 : 10
    let answered = 0
    let slowest = 0
    const service = await trial.start()
    const community = await makeCommunity(trial, service)
    for (let round = 0; round < rounds; round++) {
      const sessions = [await connectBot(community), await connectPerson(community)]
      const badResponses: string[] = []
      const failedRequests: string[] = []
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
          // Every lane has a request in flight when the signal is sent.
          const response = await connection.request(text).catch((error: Error) => error)
          if (response instanceof Error) {
            failedRequests.push(`${content}: ${response.message}`)
            break
          }
          if (response.status === 200) contents.add(content)
          else if (response.status !== 503) badResponses.push(`${response.status} ${response.body}`)
          answered++
        }
        // The connection stays open, as with a proxy. The service must exit nevertheless.
        return connection
      })
      await wait(500)
      const stopStart = performance.now()
      stopping = true
      const code = await service.end('SIGTERM')
      const ms = performance.now() - stopStart
      slowest = Math.max(slowest, ms)
      for (const connection of await Promise.all(load)) connection.close()
      assert.equal(code, 0, `exit code ${code}`)
      assert.ok(ms < 10_000, `the exit took ${ms} ms`)
      assert.deepEqual(badResponses, [])
      assert.deepEqual(failedRequests, [], 'requests in flight got no response')
      for (const session of sessions) {
        await session.closed
        assert.equal(session.frames.at(-1)?.op, 7, 'a gateway session got no Reconnect (op 7)')
      }
      await service.start()
      const existing = await community.contents(answered + 1000)
      const missing = [...contents].filter(content => !existing.has(content))
      assert.deepEqual(missing, [], 'messages are missing although their request returned 200')
    }
    return `${rounds} stops, ${answered} responses, slowest stop ${Math.round(slowest)} ms`
  },
}
