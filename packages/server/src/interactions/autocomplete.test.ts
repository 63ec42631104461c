import assert from 'node:assert/strict'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { BusUnavailable } from '../bus/bus.ts'
import { singleNode } from '../bus/nodes.ts'
import { subjects } from '../events/gateway-events.ts'
import { createSnowflakes } from '../kit/snowflake.ts'
import { createAutocomplete } from './autocomplete.ts'
import { createDeliver, type DispatchedEvent, type SendResult } from './dispatch.ts'
import { createWorld, putCommands } from './interactions-testing.ts'

/** A user types in an option of a bot that never responds. */
async function setUp(service: TestService) {
  const { ann, bot, channelId } = await createWorld(service)
  const { find: commandId = '' } = await putCommands(bot, [
    {
      name: 'find',
      description: 'Finds a song',
      options: [{ type: 'string', name: 'song', description: 'What', autocomplete: true }],
    },
  ])
  const { db, bus, clock } = service
  const sent: DispatchedEvent[] = []
  const errors: unknown[] = []
  let result: SendResult = { kind: 'confirmed', sessionId: 'session', node: undefined }
  const firstSent = Promise.withResolvers<void>()
  const autocomplete = createAutocomplete({
    db,
    bus,
    clock: clock.now,
    timers: clock.timers,
    ids: createSnowflakes({ clock: clock.now, node: 2 }),
    deliver: createDeliver({ bus, nodes: singleNode(), timers: clock.timers }),
    endpoint: { send: () => assert.fail(), toFailure: () => assert.fail() },
    secretKey: Buffer.alloc(32),
    onError: error => errors.push(error),
    async sendToGateway(dispatch) {
      sent.push(dispatch)
      firstSent.resolve()
      return result
    },
  })
  const request = (signal: AbortSignal) =>
    autocomplete.request(ann.id, { channelId, commandId, focused: 'song' }, signal)
  return {
    autocomplete,
    request,
    sent,
    errors,
    firstSent: firstSent.promise,
    resultIs(next: SendResult) {
      result = next
    },
    publish: (subjectOf: (applicationId: string) => string, message: object) =>
      bus.publish(subjectOf(bot.applicationId), message),
  }
}

eachService('a user who leaves ends the wait (bots/autocomplete)', async (_t, service) => {
  const { request, sent, errors, firstSent } = await setUp(service)
  const left = new AbortController()
  const choices = request(left.signal)
  await firstSent
  left.abort()
  assert.deepEqual(await choices, [])
  assert.equal(sent.length, 1)
  assert.deepEqual(await request(left.signal), [])
  assert.equal(sent.length, 1, 'a bot gets no event of a user who has left before it')
  assert.deepEqual(errors, [])
})

eachService('closing ends all waits with 503', async (_t, service) => {
  const { autocomplete, request, errors, firstSent } = await setUp(service)
  const choices = request(new AbortController().signal)
  await firstSent
  await autocomplete.close()
  await assert.rejects(choices, { code: 'unavailable', status: 503 })
  assert.deepEqual(errors, [])
})

eachService('an error of the service is logged, and the user gets 409', async (_t, service) => {
  const { request, errors, resultIs } = await setUp(service)
  const cause = new BusUnavailable('test')
  resultIs({ kind: 'failed', reason: { code: 'unreachable' }, cause })
  const choices = request(new AbortController().signal)
  await assert.rejects(choices, { code: 'interaction_not_answered', status: 409 })
  assert.deepEqual(errors, [cause])
})

eachService('waits for a session only if one had the event (bots/autocomplete)', async (_t, service) => {
  const { request, sent, errors, resultIs, firstSent, publish } = await setUp(service)
  const left = new AbortController()
  const choices = request(left.signal)
  await firstSent
  resultIs({ kind: 'failed', reason: { code: 'offline' } })
  await assert.rejects(request(left.signal), { code: 'interaction_not_answered', status: 409 })
  publish(subjects.gatewaySessionDisconnected, { sessionId: 'session' })
  await waitUntil(() => sent.length === 3)
  publish(subjects.gatewaySessionConnected, {})
  await waitUntil(() => sent.length === 4)
  left.abort()
  assert.deepEqual(await choices, [])
  assert.deepEqual(errors, [])
})
