import assert from 'node:assert/strict'
import type { InteractionState } from '@gatehouse/protocol/interactions'
import { eachDatabase } from '@gatehouse/testkit/databases'
import type { Database } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { statusAt, toPublicStatus } from './interaction-status.ts'
import { findInteraction } from './interaction-store.ts'

const migration = '0015-interaction-reasons'

async function undoMigration(db: Database): Promise<void> {
  await db.run`ALTER TABLE interactions DROP COLUMN reason_code`
  await db.run`ALTER TABLE interactions DROP COLUMN reason_detail`
  await db.run`DELETE FROM migrations WHERE name = ${migration}`
}

const status500 = "The bot's endpoint answered with the status 500."
const reset = "The bot's endpoint failed: the connection broke off (ECONNRESET)."

const noAnswer = 'The bot did not respond within 3 seconds.'

/** State and reason as the previous version stored them, and `reason` and `reasonCode` after the migration. */
const rows: [InteractionState, string | null, string | undefined, string | undefined][] = [
  ['failed', 'The bot is not connected.', noAnswer, 'no_answer'],
  ['failed', 'The bot could not be reached.', 'The bot could not be reached.', 'unreachable'],
  ['failed', 'The bot was removed from the server.', 'The bot was removed from the server.', 'removed'],
  ['failed', status500, noAnswer, 'no_answer'],
  ['failed', reset, noAnswer, 'no_answer'],
  ['failed', 'The answer that was tried cannot be used.', noAnswer, 'no_answer'],
  ['timed_out', 'The bot did not answer within 3 seconds.', noAnswer, 'no_answer'],
  ['timed_out', null, noAnswer, 'no_answer'],
  [
    'timed_out',
    'The bot did not follow up within 15 minutes.',
    'The bot did not follow up within 15 minutes.',
    'no_follow_up',
  ],
  ['answered', null, undefined, undefined],
]

eachDatabase('the migration stores reason codes for existing interactions', async (_t, { db, url }) => {
  await db.run`INSERT INTO users (id, username, display_name, bot, created_at) VALUES ('1', 'ada', 'Ada', 0, 0)`
  await db.run`
    INSERT INTO applications (id, owner_id, name, description, type, redirect_uris, allow_loopback_port, public_key,
      private_key_sealed, commands_version, created_at)
    VALUES ('2', '1', 'App', '', 'public', '[]', 0, '', '', 0, 0)`
  await undoMigration(db)
  for (const [index, [state, reason]] of rows.entries()) {
    await db.run`
      INSERT INTO interactions (id, token_hash, application_id, channel_id, user_id, type, name, pressed_ephemeral, event,
        delivery, state, reason, original_ephemeral, created_at, deadline_at, expires_at)
      VALUES (${`${100 + index}`}, '', '2', '3', '1', 'command', 'ping', 0, '{}', 'gateway', ${state}, ${reason}, 0, 0, 1,
        2)`
  }

  assert.deepEqual(await migrate(url), [migration])
  for (const [index, [state, , reason, reasonCode]] of rows.entries()) {
    const interaction = await findInteraction(db, `${100 + index}`)
    assert.ok(interaction)
    const expected = reasonCode === undefined ? { state } : { state, reason, reasonCode }
    assert.deepEqual(toPublicStatus(statusAt(interaction, 0)), expected)
  }
})
