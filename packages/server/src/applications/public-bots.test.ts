import assert from 'node:assert/strict'
import { eachDatabase } from '@gatehouse/testkit/databases'
import { migrate } from '../storage/migrate.ts'
import { findApplication } from './application-store.ts'

const migration = '0032-public-bots'

eachDatabase(
  'an application of a version without public bots is public (sign-in/public-bots)',
  async (_t, { db, url }) => {
    await db.run`ALTER TABLE applications DROP COLUMN public_bot`
    await db.run`DELETE FROM migrations WHERE name = ${migration}`
    await db.run`INSERT INTO users (id, username, display_name, bot, created_at) VALUES ('1', 'ada', 'Ada', 0, 0)`
    await db.run`
    INSERT INTO applications (id, owner_id, name, description, type, redirect_uris, allow_loopback_port, public_key,
      private_key_sealed, commands_version, created_at)
    VALUES ('2', '1', 'App', '', 'public', '[]', 0, '', '', 0, 0)`
    assert.deepEqual(await migrate(url), [migration])
    assert.equal((await findApplication(db, '2'))?.publicBot, true)
  },
)
