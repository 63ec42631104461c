import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServerClock } from './server-clock.ts'

const noon = Date.UTC(2026, 0, 15, 12)

function createdAt(ms: number): string {
  return new Date(ms).toISOString()
}

test('uses the local time if it is consistent with the service', () => {
  const server = createServerClock(() => noon + 400)
  server.addResponse(new Date(noon).toUTCString(), noon + 300, noon + 400)
  server.addEvent(createdAt(noon + 350))
  assert.equal(server.now(), noon + 400)
})

test('corrects a clock that is ahead by the Date header of a response', () => {
  const ahead = noon + 60_000
  const server = createServerClock(() => ahead)
  server.addResponse(new Date(noon).toUTCString(), ahead - 20, ahead)
  assert.ok(Math.abs(server.now() - noon) <= 1100, `${server.now() - noon} ms off`)
})

test('corrects a clock that is less than a second behind by a later event', () => {
  const server = createServerClock(() => noon)
  server.addResponse(new Date(noon).toUTCString(), noon - 10, noon)
  server.addEvent(createdAt(noon + 700))
  assert.equal(server.now(), noon + 700)
})

test('discards earlier bounds if the local clock is set', () => {
  let local = noon
  const server = createServerClock(() => local)
  server.addResponse(new Date(noon).toUTCString(), local, local)
  local = noon - 3_600_000
  server.addResponse(new Date(noon).toUTCString(), local, local)
  assert.ok(Math.abs(server.now() - noon) <= 1000, `${server.now() - noon} ms off`)
})

test('a replayed event does not change the time', () => {
  const server = createServerClock(() => noon)
  server.addEvent(createdAt(noon - 60_000))
  assert.equal(server.now(), noon)
})

test('ignores missing and invalid dates', () => {
  const server = createServerClock(() => noon)
  server.addResponse(null, noon, noon)
  server.addResponse('yesterday', noon, noon)
  server.addEvent('soon')
  assert.equal(server.now(), noon)
})

test('assumes that an event is new if it contradicts the Date headers', () => {
  const later = noon + 86_400_000
  const server = createServerClock(() => later)
  server.addResponse(new Date(later).toUTCString(), later, later)
  server.addEvent(createdAt(noon))
  assert.equal(server.now(), noon)
})
