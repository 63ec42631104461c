import { createHash } from 'node:crypto'
import type { Sql } from '../../storage/database.ts'
import { checkImage } from './check-image.ts'
import { deleteImage, putImage } from './store.ts'

export const imageKinds = ['users', 'servers', 'applications', 'webhooks'] as const
export type ImageKind = (typeof imageKinds)[number]

/** Keeps `bytes` as the owner's one picture, in place of the one before. Answers its hash; throws as `checkImage`. */
export async function saveImage(
  sql: Sql,
  { kind, ownerId, bytes }: { kind: ImageKind; ownerId: string; bytes: Uint8Array },
): Promise<string> {
  const { contentType } = checkImage(bytes)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32)
  await putImage(sql, { kind, ownerId, hash, contentType, bytes })
  return hash
}

/** Forgets the owner's picture; nothing happens where there is none. */
export async function dropImage(sql: Sql, kind: ImageKind, ownerId: string): Promise<void> {
  await deleteImage(sql, kind, ownerId)
}

/** The path of a picture on the service; of the generated one where `hash` is null. */
export function imagePath(kind: ImageKind, ownerId: string, hash: string | null): string {
  return `/images/${kind}/${ownerId}/${hash ?? 'default'}`
}
