import type { Sql } from '../../storage/database.ts'

interface ImageRow {
  hash: string
  contentType: string
  bytes: Uint8Array
}

export interface StoredImage {
  hash: string
  contentType: string
  bytes: Uint8Array
}

export async function upsertImage(
  sql: Sql,
  { kind, ownerId, hash, contentType, bytes }: StoredImage & { kind: string; ownerId: string },
): Promise<void> {
  await sql.run`
    INSERT INTO images (kind, owner_id, hash, content_type, bytes)
    VALUES (${kind}, ${ownerId}, ${hash}, ${contentType}, ${bytes})
    ON CONFLICT (kind, owner_id)
    DO UPDATE SET hash = excluded.hash, content_type = excluded.content_type, bytes = excluded.bytes`
}

export async function deleteImageRow(sql: Sql, kind: string, ownerId: string): Promise<void> {
  await sql.run`DELETE FROM images WHERE kind = ${kind} AND owner_id = ${ownerId}`
}

export async function findImage(sql: Sql, kind: string, ownerId: string): Promise<StoredImage | undefined> {
  const row = await sql.get<ImageRow>`
    SELECT hash, content_type, bytes FROM images WHERE kind = ${kind} AND owner_id = ${ownerId}`
  return row && { hash: row.hash, contentType: row.contentType, bytes: row.bytes }
}
