import assert from 'node:assert/strict'
import test from 'node:test'
import { createApi } from './client.ts'
import { createServiceClock } from './service-clock.ts'

const noon = Date.parse('2026-01-01T12:00:00.000Z')
const httpDate = (at: number) => new Date(at).toUTCString()

test('a machine whose clock is wrong has the time of the service, from any answer of it', async () => {
  let machine = noon + 15 * 60_000
  const clock = createServiceClock(() => machine)
  assert.equal(clock.now(), machine, 'before the first answer there is only its own')
  const api = createApi({
    fetch: async () => Response.json({}, { headers: { date: httpDate(noon) } }),
    onSignedOut: () => undefined,
    onAnswer: ({ headers }) => clock.learn(headers.get('date')),
  })
  await api.get('/api/users/@me')
  assert.ok(Math.abs(clock.now() - noon) < 1000)
  machine += 60_000
  assert.ok(Math.abs(clock.now() - noon - 60_000) < 1000, 'and it goes on')
})

test('an answer that does not say the time changes nothing', () => {
  const clock = createServiceClock(() => noon)
  clock.learn(null)
  clock.learn('soon')
  assert.equal(clock.now(), noon)
})
