import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eachEngine } from '@gatehouse/testkit/databases'
import { createSealer } from '../kit/seal.ts'
import { checkSecretKey, replaceSecretKeyCheck, SecretKeyMismatch } from './secret-key-check.ts'

const [right, other] = [createSealer(randomBytes(32)), createSealer(randomBytes(32))]
const yes = async () => true

eachEngine('the first key that starts is the key of the database', async (_t, db) => {
  await checkSecretKey(db, right, yes)
  await checkSecretKey(db, right, () => assert.fail('the stored check decides'))
  await assert.rejects(checkSecretKey(db, other, yes), SecretKeyMismatch)
})

eachEngine('in a database that is older than the check, the stored secrets decide', async (_t, db) => {
  await assert.rejects(
    checkSecretKey(db, other, async () => false),
    SecretKeyMismatch,
  )
  await checkSecretKey(db, right, yes)
  await assert.rejects(checkSecretKey(db, other, yes), SecretKeyMismatch)
})

eachEngine('of two nodes with different keys that start at the same time, one starts', async (_t, db) => {
  const results = await Promise.allSettled([right, other].map(sealer => checkSecretKey(db, sealer, yes)))
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

eachEngine('a replaced key is the key of the database', async (_t, db) => {
  await checkSecretKey(db, right, yes)
  await replaceSecretKeyCheck(db, other)
  await checkSecretKey(db, other, yes)
  await assert.rejects(checkSecretKey(db, right, yes), SecretKeyMismatch)
})

test('the message names the variable, the command and the documentation', () => {
  assert.match(new SecretKeyMismatch().message, /SECRET_KEY.*gatehouse secret-key replace.*docs\/operate\.md/)
})
