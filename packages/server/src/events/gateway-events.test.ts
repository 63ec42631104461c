import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalBus } from '../bus/local-bus.ts'
import {
  type PublishedEvent,
  parseControlMessage,
  parseDispatchRequest,
  readVisibilityEffect,
  subscribeToEvents,
} from './gateway-events.ts'

const user = { id: '7', username: 'ada', displayName: 'Ada', avatar: '/a', bot: false }
const member = {
  serverId: '1',
  user,
  nick: null,
  roles: [],
  joinedAt: '2026-01-01T00:00:00.000Z',
  timedOutUntil: null,
}

const noEffect = { channelId: undefined, changesViewOf: undefined, removedUserId: undefined }

for (const [event, effect] of [
  [
    { t: 'CHANNEL_DELETE', d: { id: '3', serverId: '1' } },
    { channelId: '3', changesViewOf: 'members' },
  ],
  [{ t: 'MEMBER_UPDATE', d: member }, { changesViewOf: { userId: '7' } }],
  [{ t: 'MEMBER_REMOVE', d: { serverId: '1', user } }, { removedUserId: '7' }],
  [{ t: 'MEMBER_ADD', d: member }, {}],
  [{ t: 'ROLE_DELETE', d: { id: '4', serverId: '1' } }, { changesViewOf: 'members' }],
  [{ t: 'CHANNEL_READ', d: { channelId: '3', messageId: '9' } }, {}],
  [{ t: 'CHANNEL_MUTE', d: { channelId: '3', muted: true } }, {}],
] satisfies [PublishedEvent, object][]) {
  test(`readVisibilityEffect returns the effect of ${event.t}`, () => {
    assert.deepEqual(readVisibilityEffect(event), { ...noEffect, ...effect })
  })
}

test('a subscriber receives only known events', async () => {
  const bus = createLocalBus()
  const received: string[] = []
  await subscribeToEvents(bus, 'server.1', event => received.push(event.t))
  for (const message of [
    { t: 'FROM_A_NEWER_VERSION', d: {} },
    { t: 'SERVER_UPDATE' },
    { t: 'INTERACTION_CREATE', d: { id: '5' } },
    null,
    'SERVER_UPDATE',
    { t: 'COMMANDS_UPDATE', d: { serverId: '1' } },
  ]) {
    bus.publish('server.1', message)
  }
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(received, ['COMMANDS_UPDATE'])
  await bus.close()
})

test('ignores unknown messages on the subjects of interactions and credentials', () => {
  assert.equal(parseDispatchRequest({ t: 'MESSAGE_CREATE', d: {} }), undefined)
  assert.equal(parseDispatchRequest({ t: 'INTERACTION_CREATE' }), undefined)
  assert.equal(parseDispatchRequest({ t: 'INTERACTION_CREATE', d: {} }), undefined)
  assert.equal(parseControlMessage({ reason: 1 }), undefined)
  assert.deepEqual(parseControlMessage({ reason: 'token_reset' }), { reason: 'token_reset' })
})
