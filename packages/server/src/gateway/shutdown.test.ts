import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found, register } from '../platform/testing.ts'
import { eachService, startService } from '../testing.ts'
import { greeted, headersOf, identified, makeBot, online, resuming } from './testing.ts'

eachService(
  'when the service stops every socket is told to reconnect, and closed with 1012',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    await found(ada)
    const bot = await makeBot(service)
    const clients = [await online(service, ada), await identified(service, bot), await greeted(service)]
    const headers = headersOf(service, ada)
    const restarted = service.restart()
    for (const client of clients) {
      assert.deepEqual(await client.take(), { op: 7 })
      assert.equal((await client.closed).code, 1012)
    }
    await restarted
    const [person] = clients
    assert.ok(person && 'sessionId' in person)
    const back = await resuming(service, { sessionId: String(person.sessionId), seq: 1 }, headers)
    assert.deepEqual(await back.take(), { op: 9, d: false })
    back.send({ op: 2, d: {} })
    assert.equal((await back.take()).t, 'READY')
  },
)

test('a socket that does not answer its close does not hold up the stop', async t => {
  const service = await startService(t)
  const client = await greeted(service)
  client.socket.pause()
  await service.restart()
  client.socket.resume()
  assert.ok([1006, 1012].includes((await client.closed).code))
})
