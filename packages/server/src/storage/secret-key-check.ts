import { canOpen, type Sealer } from '../kit/seal.ts'
import type { Database, Sql } from './database.ts'

const context = 'secret-key-check'

export class SecretKeyMismatch extends Error {
  constructor() {
    super(
      'SECRET_KEY (or secret.key) is not the key of this database. Use the key of the other ' +
        'nodes, or the one that was ' +
        'backed up with the database. If it is lost, run "gatehouse secret-key replace" (docs/operate.md, A lost key).',
    )
    this.name = 'SecretKeyMismatch'
  }
}

/**
 * Throws SecretKeyMismatch if the database belongs to another key. The first node that starts stores the check; in a
 * database that is older than the check, `opensStored` decides whether the key is the right one.
 */
export async function checkSecretKey(
  db: Database,
  sealer: Sealer,
  opensStored: () => Promise<boolean>,
): Promise<void> {
  const existing = await find(db)
  if (existing === undefined) {
    if (!(await opensStored())) throw new SecretKeyMismatch()
    await db.run`
      INSERT INTO secret_key_check (id, sealed) VALUES (1, ${sealer.seal('', context)}) ON CONFLICT (id) DO NOTHING`
  }
  // Read again: a node with another key may have been first.
  const sealed = existing ?? (await find(db))
  if (sealed === undefined || !canOpen(sealer, sealed, context)) throw new SecretKeyMismatch()
}

export async function replaceSecretKeyCheck(sql: Sql, sealer: Sealer): Promise<void> {
  await sql.run`
    INSERT INTO secret_key_check (id, sealed) VALUES (1, ${sealer.seal('', context)})
    ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed`
}

async function find(sql: Sql): Promise<string | undefined> {
  return (await sql.get<{ sealed: string }>`SELECT sealed FROM secret_key_check WHERE id = 1`)?.sealed
}
