import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServiceClock } from './service-clock.ts'

const noon = Date.UTC(2026, 0, 15, 12)

function createdAt(ms: number): string {
  return new Date(ms).toISOString()
}

test('uses the local time if it is consistent with the service', () => {
  const service = createServiceClock(() => noon + 400)
  service.addResponse(new Date(noon).toUTCString(), noon + 300, noon + 400)
  service.addEvent(createdAt(noon + 350))
  assert.equal(service.now(), noon + 400)
})

test('corrects a clock that is ahead by the Date header of a response', () => {
  const ahead = noon + 60_000
  const service = createServiceClock(() => ahead)
  service.addResponse(new Date(noon).toUTCString(), ahead - 20, ahead)
  assert.ok(Math.abs(service.now() - noon) <= 1100, `${service.now() - noon} ms off`)
})

test('corrects a clock that is less than a second behind by a later event', () => {
  const service = createServiceClock(() => noon)
  service.addResponse(new Date(noon).toUTCString(), noon - 10, noon)
  service.addEvent(createdAt(noon + 700))
  assert.equal(service.now(), noon + 700)
})

test('discards earlier bounds if the local clock is set', () => {
  let local = noon
  const service = createServiceClock(() => local)
  service.addResponse(new Date(noon).toUTCString(), local, local)
  local = noon - 3_600_000
  service.addResponse(new Date(noon).toUTCString(), local, local)
  assert.ok(Math.abs(service.now() - noon) <= 1000, `${service.now() - noon} ms off`)
})

test('a replayed event does not change the time', () => {
  const service = createServiceClock(() => noon)
  service.addEvent(createdAt(noon - 60_000))
  assert.equal(service.now(), noon)
})

test('ignores missing and invalid dates', () => {
  const service = createServiceClock(() => noon)
  service.addResponse(null, noon, noon)
  service.addResponse('yesterday', noon, noon)
  service.addEvent('soon')
  assert.equal(service.now(), noon)
})

test('assumes that an event is new if it contradicts the Date headers', () => {
  const later = noon + 86_400_000
  const service = createServiceClock(() => later)
  service.addResponse(new Date(later).toUTCString(), later, later)
  service.addEvent(createdAt(noon))
  assert.equal(service.now(), noon)
})
