import type { TestClock } from '@gatehouse/testkit/clock'
import { createSealer } from '../kit/seal.ts'
import type { Database } from '../storage/database.ts'
import { insertSigningKey, listSigningKeys, type SigningKeyRecord } from './signing-key-store.ts'
import { rotateSigningKeys } from './signing-keys.ts'

const made = new Map<string, SigningKeyRecord>()

/** Inserts the same key into each new database, because generating an RSA key takes longer than most tests. */
export async function seedSigningKey(db: Database, clock: TestClock, secretKey: Uint8Array): Promise<void> {
  const id = Buffer.from(secretKey).toString('base64')
  const key = made.get(id)
  const now = clock.now()
  if (key) {
    await insertSigningKey(db, { ...key, createdAt: now, activeFrom: now })
    return
  }
  await rotateSigningKeys({ db, clock: clock.now, sealer: createSealer(secretKey) })
  const [first] = await listSigningKeys(db)
  if (first) made.set(id, first)
}
