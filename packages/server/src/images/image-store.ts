import { list, type Sql } from '../storage/database.ts'

export const imageKinds = ['users', 'servers', 'applications', 'webhooks', 'instance'] as const
export type ImageKind = (typeof imageKinds)[number]

export interface StoredImage {
  hash: string
  contentType: string
  bytes: Uint8Array
}

export async function upsertImage(
  sql: Sql,
  {
    kind,
    ownerId,
    uploaderId,
    hash,
    contentType,
    bytes,
  }: StoredImage & { kind: ImageKind; ownerId: string; uploaderId: string },
): Promise<void> {
  await sql.run`
    INSERT INTO images (kind, owner_id, uploader_id, hash, content_type, bytes)
    VALUES (${kind}, ${ownerId}, ${uploaderId}, ${hash}, ${contentType}, ${bytes})
    ON CONFLICT (kind, owner_id)
    DO UPDATE SET uploader_id = excluded.uploader_id, hash = excluded.hash, content_type = excluded.content_type,
      bytes = excluded.bytes`
}

/** Locks the row of the user until the transaction ends, so that the sum of the images does not change. */
export async function lockUploader(sql: Sql, userId: string): Promise<void> {
  await sql.run`UPDATE users SET created_at = created_at WHERE id = ${userId}`
}

/** The size of all images that the user uploaded. */
export async function sumImageBytes(sql: Sql, uploaderId: string): Promise<number> {
  const row = await sql.get<{ total: number | null }>`
    SELECT CAST(SUM(LENGTH(bytes)) AS BIGINT) AS total FROM images WHERE uploader_id = ${uploaderId}`
  return row?.total ?? 0
}

export async function deleteImage(sql: Sql, kind: ImageKind, ownerId: string): Promise<void> {
  await sql.run`DELETE FROM images WHERE kind = ${kind} AND owner_id = ${ownerId}`
}

/** Returns how many there were. */
export async function deleteImages(sql: Sql, kind: ImageKind, ownerIds: readonly string[]): Promise<number> {
  if (ownerIds.length === 0) return 0
  return sql.run`DELETE FROM images WHERE kind = ${kind} AND owner_id IN ${list(ownerIds)}`
}

export function findImage(sql: Sql, kind: ImageKind, ownerId: string) {
  return sql.get<StoredImage>`
    SELECT hash, content_type, bytes FROM images WHERE kind = ${kind} AND owner_id = ${ownerId}`
}
