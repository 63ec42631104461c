import assert from 'node:assert/strict'
import { makeWebhookToken } from '../kit/secret.ts'
import type { Database } from '../storage/database.ts'
import { eachOutside } from './testing.ts'
import { findByToken } from './webhook.ts'

/** The database, and the text of every statement that was asked of it. */
function watched(db: Database): { db: Database; asked: string[] } {
  const asked: string[] = []
  const get: Database['get'] = (text, ...values) => {
    asked.push(text.join('?'))
    return db.get(text, ...values)
  }
  return { db: { ...db, get }, asked }
}

eachOutside(
  'check 56: an unknown id and a wrong token ask the same of the database, as the right one does',
  async ({ webhook, service }) => {
    const asked: string[][] = []
    for (const [id, token, found] of [
      [webhook.id, webhook.token, webhook.id],
      [webhook.id, makeWebhookToken(), undefined],
      ['1234567890123456789', webhook.token, undefined],
    ] as const) {
      const { db, asked: statements } = watched(service.db)
      assert.equal((await findByToken(db, id, token))?.id, found)
      asked.push(statements)
    }
    assert.equal(asked[0]?.length, 1)
    assert.deepEqual(asked[1], asked[0])
    assert.deepEqual(asked[2], asked[0])
  },
)
