import assert from 'node:assert/strict'
import { createWebhookToken } from '../kit/secret.ts'
import type { Database } from '../storage/database.ts'
import { findWebhookByToken } from './webhook-tokens.ts'
import { eachWebhook } from './webhooks-testing.ts'

/** Records the text of every query. */
function recordQueries(db: Database): { db: Database; queries: string[] } {
  const queries: string[] = []
  const get: Database['get'] = (text, ...values) => {
    queries.push(text.join('?'))
    return db.get(text, ...values)
  }
  return { db: { ...db, get }, queries }
}

eachWebhook(
  'runs the same queries for an unknown id, a wrong token and a valid token (webhooks/unknown-webhook)',
  async ({ webhook, service }) => {
    const queriesOfRequests: string[][] = []
    for (const [id, token, expectedId] of [
      [webhook.id, webhook.token, webhook.id],
      [webhook.id, createWebhookToken(), undefined],
      ['1234567890123456789', webhook.token, undefined],
    ] as const) {
      const { db, queries } = recordQueries(service.db)
      assert.equal((await findWebhookByToken(db, id, token))?.id, expectedId)
      queriesOfRequests.push(queries)
    }
    assert.equal(queriesOfRequests[0]?.length, 1)
    assert.deepEqual(queriesOfRequests[1], queriesOfRequests[0])
    assert.deepEqual(queriesOfRequests[2], queriesOfRequests[0])
  },
)

eachWebhook(
  'at LOG_LEVEL=debug the log says that a webhook is unknown, without the token',
  async ({ webhook, anonymous, service }) => {
    const token = createWebhookToken()
    service.log.splice(0)
    const reply = await anonymous.json('POST', `/api/webhooks/${webhook.id}/${token}`, { content: 'x' })
    assert.equal(reply.status, 404)
    const [line = '', ...others] = service.log.filter(entry => entry.includes('"rejected"'))
    assert.deepEqual(others, [])
    const { code, status, reason } = JSON.parse(line)
    assert.deepEqual([code, status, reason], ['not_found', 404, 'no webhook has this id and token'])
    assert.equal(service.log.join('').includes(token), false)
  },
)
