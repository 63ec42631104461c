import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TryResponse } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { emptyTimeline } from '../../core/stores/timeline.ts'
import { listResponses } from './trial-responses.ts'

/** A response of the bot 7 to an interaction of a user. */
function response(id: string, interactionId: string, { content = '', botId = '7', userId = '1' } = {}) {
  const interaction = { id: interactionId, type: 'command', name: 'roll', user: { id: userId } }
  return { id, content, author: { id: botId }, interaction } as Message
}

const event = { id: '20', user: { id: '1' } }
const first = response('21', '20')
const result = { event, message: first } as TryResponse
const idsOf = (messages: Message[]) => messages.map(({ id }) => id)

test('lists the responses of the bot to its user since the trial, also those outside of the range', () => {
  const plain = { ...first, id: '25', interaction: undefined } as unknown as Message
  const messages = [response('11', '10'), first, plain, response('31', '30')]
  const others = [response('32', '30', { botId: '8' }), response('33', '30', { userId: '2' })]
  const timeline = { ...emptyTimeline, messages: [...messages, ...others], detached: [response('29', '28')] }
  assert.deepEqual(idsOf(listResponses(timeline, result, '7')), ['21', '29', '31'])
  assert.deepEqual(idsOf(listResponses(timeline, { ...result, message: null }, '7')), ['21', '29', '31'])
})

test('the response of the trial is listed before its event, and as an event changed it', () => {
  assert.deepEqual(listResponses(emptyTimeline, result, '7'), [first])
  const changed = response('21', '20', { content: 'Changed' })
  assert.deepEqual(listResponses({ ...emptyTimeline, messages: [changed] }, result, '7'), [changed])
  const dismissed = { ...emptyTimeline, deletedIds: new Set(['21']) }
  assert.deepEqual(listResponses(dismissed, result, '7'), [])
})
