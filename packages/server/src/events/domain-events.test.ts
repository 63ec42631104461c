import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine } from '@gatehouse/testkit/databases'
import { createDomainEventBus, type DomainSubscriber } from './domain-events.ts'

const handled = async () => undefined

const complete: DomainSubscriber[] = [
  { name: 'invites', handlers: { RegistrationRequested: handled, UserRegistered: handled } },
  { name: 'administration', handlers: { UserRegistered: handled } },
  { name: 'second-factor', handlers: { PasswordChanged: handled } },
  { name: 'members', handlers: { ProfileChanged: handled } },
  { name: 'direct-messages', handlers: { ProfileChanged: handled } },
  { name: 'integrations', handlers: { MemberRemoved: handled } },
  { name: 'bots', handlers: { UserDisabled: handled } },
  {
    name: 'oauth',
    handlers: {
      PasswordChanged: handled,
      UserDisabled: handled,
      VerifiedByReset: handled,
      TokensRevoked: handled,
      SessionEnded: handled,
      SecretReset: handled,
      MemberRemoved: handled,
      MemberRoleRemoved: handled,
      RoleDeleted: handled,
      ServerDeleted: handled,
      AdmissionChanged: handled,
    },
  },
  { name: 'interactions', handlers: { MemberRemoved: handled } },
  { name: 'ownership-transfers', handlers: { MemberRemoved: handled } },
  { name: 'bound-applications', handlers: { OwnershipAccepted: handled } },
]

function busWith(subscribers: readonly DomainSubscriber[]) {
  const bus = createDomainEventBus()
  for (const subscriber of subscribers) bus.subscribe(subscriber)
  return bus
}

test('checkSubscribers passes with every required subscriber', () => {
  busWith(complete).checkSubscribers()
})

for (const { name } of complete) {
  test(`checkSubscribers throws without the subscriber "${name}"`, () => {
    const bus = busWith(complete.filter(subscriber => subscriber.name !== name))
    assert.throws(() => bus.checkSubscribers(), new RegExp(`requires the subscriber "${name}"`))
  })
}

test('checkSubscribers throws if a required subscriber has no handler for the event', () => {
  const bus = busWith(
    complete.map(entry => (entry.name === 'oauth' ? { name: entry.name, handlers: {} } : entry)),
  )
  assert.throws(() => bus.checkSubscribers(), /The event PasswordChanged requires the subscriber "oauth"/)
})

eachEngine('handlers run in the transaction of the publisher, and an error rolls it back', async (_t, db) => {
  const bus = busWith([
    {
      name: 'oauth',
      handlers: {
        SessionEnded: async (tx, { sessionId }) => {
          await tx.run`INSERT INTO users (id, username, display_name, bot, created_at)
                       VALUES (${sessionId}, ${sessionId}, 'x', 1, 0)`
          if (sessionId === 'second') throw new Error('the subscriber failed')
        },
      },
    },
  ])
  await db.transaction(tx => bus.publish(tx, 'SessionEnded', { sessionId: 'first' }))
  await assert.rejects(
    db.transaction(tx => bus.publish(tx, 'SessionEnded', { sessionId: 'second' })),
    /the subscriber failed/,
  )
  const rows = await db.all<{ id: string }>`SELECT id FROM users`
  assert.deepEqual(
    rows.map(row => row.id),
    ['first'],
  )
})
