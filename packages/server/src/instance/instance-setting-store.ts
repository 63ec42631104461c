import type { Sql } from '../storage/database.ts'

/** Null: the default. */
export interface StoredSettings {
  registration: string | null
  serverCreation: string | null
  name: string | null
  /** The hash of the image. */
  logo: string | null
}

export function findSettings(sql: Sql): Promise<StoredSettings | undefined> {
  return sql.get`SELECT registration, server_creation, name, logo FROM instance_settings WHERE id = 1`
}

/** Locks the row until the transaction ends, and creates it first. */
export async function lockSettings(sql: Sql): Promise<void> {
  await sql.run`INSERT INTO instance_settings (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET id = excluded.id`
}

/** The row exists. */
export async function putSettings(sql: Sql, settings: StoredSettings): Promise<void> {
  await sql.run`
    UPDATE instance_settings SET registration = ${settings.registration},
      server_creation = ${settings.serverCreation}, name = ${settings.name}, logo = ${settings.logo}
    WHERE id = 1`
}

/** Returns false if there is a code already, of this node or another one. */
export async function putAdministratorCode(sql: Sql, hash: string): Promise<boolean> {
  const changed = await sql.run`
    INSERT INTO instance_settings (id, administrator_code_hash) VALUES (1, ${hash})
    ON CONFLICT (id) DO UPDATE SET administrator_code_hash = excluded.administrator_code_hash
      WHERE instance_settings.administrator_code_hash IS NULL`
  return changed > 0
}

export async function findAdministratorCodeHash(sql: Sql): Promise<string | undefined> {
  const row = await sql.get<{ hash: string | null }>`
    SELECT administrator_code_hash AS hash FROM instance_settings WHERE id = 1`
  return row?.hash ?? undefined
}

/** Deletes the code, so that of concurrent calls at most one returns true: with this code. */
export async function takeAdministratorCode(sql: Sql, hash: string): Promise<boolean> {
  const changed = await sql.run`
    UPDATE instance_settings SET administrator_code_hash = NULL
    WHERE id = 1 AND administrator_code_hash = ${hash}`
  return changed > 0
}

export async function deleteAdministratorCode(sql: Sql): Promise<void> {
  await sql.run`
    UPDATE instance_settings SET administrator_code_hash = NULL
    WHERE id = 1 AND administrator_code_hash IS NOT NULL`
}

/** `time`: now, in milliseconds. */
export async function recordBackup(sql: Sql, time: number): Promise<void> {
  await sql.run`
    INSERT INTO instance_settings (id, backed_up_at) VALUES (1, ${time})
    ON CONFLICT (id) DO UPDATE SET backed_up_at = excluded.backed_up_at`
}

/** When `gatehouse backup` last ran; undefined if never. */
export async function findLastBackup(sql: Sql): Promise<number | undefined> {
  const row = await sql.get<{
    backedUpAt: number | null
  }>`SELECT backed_up_at FROM instance_settings WHERE id = 1`
  return row?.backedUpAt ?? undefined
}
