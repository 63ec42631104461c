import type { Sql } from '../storage/database.ts'

export interface SigningKeyRecord {
  number: number
  kid: string
  /** A JWK as JSON. */
  publicKey: string
  /** A sealed JWK. Empty after `deletePrivatePart`. */
  privateKeySealed: string
  createdAt: number
  activeFrom: number
}

export async function listSigningKeys(sql: Sql): Promise<SigningKeyRecord[]> {
  return sql.all`
    SELECT number, kid, public_key, private_key_sealed, created_at, active_from
    FROM oauth_signing_keys ORDER BY number`
}

/** Returns false if another node has inserted a key with the same number. */
export async function insertSigningKey(sql: Sql, key: SigningKeyRecord): Promise<boolean> {
  const inserted = await sql.run`
    INSERT INTO oauth_signing_keys (number, kid, public_key, private_key_sealed, created_at, active_from)
    VALUES (${key.number}, ${key.kid}, ${key.publicKey}, ${key.privateKeySealed}, ${key.createdAt}, ${key.activeFrom})
    ON CONFLICT (number) DO NOTHING`
  return inserted === 1
}

/** Returns false if there is no such key. */
export async function deleteSigningKey(sql: Sql, kid: string): Promise<boolean> {
  return (await sql.run`DELETE FROM oauth_signing_keys WHERE kid = ${kid}`) > 0
}

export async function deletePrivatePart(sql: Sql, kid: string): Promise<void> {
  await sql.run`UPDATE oauth_signing_keys SET private_key_sealed = '' WHERE kid = ${kid}`
}
