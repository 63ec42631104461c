import type { Sql } from '../../storage/database.ts'

export const imageKinds = ['users', 'servers', 'applications', 'webhooks'] as const
export type ImageKind = (typeof imageKinds)[number]

export interface StoredImage {
  hash: string
  contentType: string
  bytes: Uint8Array
}

export async function upsertImage(
  sql: Sql,
  { kind, ownerId, hash, contentType, bytes }: StoredImage & { kind: ImageKind; ownerId: string },
): Promise<void> {
  await sql.run`
    INSERT INTO images (kind, owner_id, hash, content_type, bytes)
    VALUES (${kind}, ${ownerId}, ${hash}, ${contentType}, ${bytes})
    ON CONFLICT (kind, owner_id)
    DO UPDATE SET hash = excluded.hash, content_type = excluded.content_type, bytes = excluded.bytes`
}

export async function deleteImage(sql: Sql, kind: ImageKind, ownerId: string): Promise<void> {
  await sql.run`DELETE FROM images WHERE kind = ${kind} AND owner_id = ${ownerId}`
}

export function findImage(sql: Sql, kind: ImageKind, ownerId: string) {
  return sql.get<StoredImage>`
    SELECT hash, content_type, bytes FROM images WHERE kind = ${kind} AND owner_id = ${ownerId}`
}
