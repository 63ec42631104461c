import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServerClock } from './server-clock.ts'

const noon = Date.UTC(2026, 0, 15, 12)

function createdAt(ms: number): string {
  return new Date(ms).toISOString()
}

test('a clock that nothing speaks against is believed', () => {
  const server = createServerClock(() => noon + 400)
  server.sawAnswer(new Date(noon).toUTCString(), noon + 300, noon + 400)
  server.sawEvent(createdAt(noon + 350))
  assert.equal(server.now(), noon + 400)
})

test('a clock that is ahead is put right by the Date of an answer', () => {
  const ahead = noon + 60_000
  const server = createServerClock(() => ahead)
  server.sawAnswer(new Date(noon).toUTCString(), ahead - 20, ahead)
  assert.ok(Math.abs(server.now() - noon) <= 1100, `${server.now() - noon} ms off`)
})

test('a clock that is behind by less than a second is put right by an event from its future', () => {
  const server = createServerClock(() => noon)
  server.sawAnswer(new Date(noon).toUTCString(), noon - 10, noon)
  server.sawEvent(createdAt(noon + 700))
  assert.equal(server.now(), noon + 700)
})

test('a clock that was set in between is judged by what was seen last', () => {
  let local = noon
  const server = createServerClock(() => local)
  server.sawAnswer(new Date(noon).toUTCString(), local, local)
  local = noon - 3_600_000
  server.sawAnswer(new Date(noon).toUTCString(), local, local)
  assert.ok(Math.abs(server.now() - noon) <= 1000, `${server.now() - noon} ms off`)
})

test('an event that was replayed a minute later does not make the clock wrong', () => {
  const server = createServerClock(() => noon)
  server.sawEvent(createdAt(noon - 60_000))
  assert.equal(server.now(), noon)
})

test('neither a missing Date nor one that is none changes anything', () => {
  const server = createServerClock(() => noon)
  server.sawAnswer(null, noon, noon)
  server.sawAnswer('yesterday', noon, noon)
  server.sawEvent('soon')
  assert.equal(server.now(), noon)
})

test('an event from another time than the Date of every answer is taken to be fresh', () => {
  const later = noon + 86_400_000
  const server = createServerClock(() => later)
  server.sawAnswer(new Date(later).toUTCString(), later, later)
  server.sawEvent(createdAt(noon))
  assert.equal(server.now(), noon)
})
