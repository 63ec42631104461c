import assert from 'node:assert/strict'
import test from 'node:test'
import { createApi } from './client.ts'
import { createServiceClock } from './service-clock.ts'

const noon = Date.parse('2026-01-01T12:00:00.000Z')
const httpDate = (at: number) => new Date(at).toUTCString()

test('returns the time of the service after any response, if the clock of the machine is wrong', async () => {
  let machine = noon + 15 * 60_000
  const clock = createServiceClock(() => machine)
  assert.equal(clock.now(), machine, 'local time before the first response')
  const api = createApi({
    fetch: async () => Response.json({}, { headers: { date: httpDate(noon) } }),
    onSignedOut: () => undefined,
    onResponse: ({ headers }) => clock.update(headers.get('date')),
  })
  await api.call('getCurrentUser')
  assert.ok(Math.abs(clock.now() - noon) < 1000)
  machine += 60_000
  assert.ok(Math.abs(clock.now() - noon - 60_000) < 1000, 'the time advances')
})

test('ignores a missing or invalid Date header', () => {
  const clock = createServiceClock(() => noon)
  clock.update(null)
  clock.update('soon')
  assert.equal(clock.now(), noon)
})
