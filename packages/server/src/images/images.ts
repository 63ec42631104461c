import { createHash } from 'node:crypto'
import { maxStoredImageBytes } from '@gatehouse/protocol/limits'
import { limitReached } from '../i18n/localized-error.ts'
import type { Transaction } from '../storage/database.ts'
import type { EncodedImage } from './encode.ts'
import * as store from './image-store.ts'

interface NewImage {
  kind: store.ImageKind
  ownerId: string
  uploaderId: string
  image: EncodedImage
}

/**
 * Replaces the owner's image and returns the hash of the new one. Throws 409 `limit_reached` if the images of the
 * uploader are larger than 64 MiB together (limits/caps).
 */
export async function saveImage(
  tx: Transaction,
  { kind, ownerId, uploaderId, image }: NewImage,
): Promise<string> {
  const hash = imageHash(image)
  await store.lockUploader(tx, uploaderId)
  await store.upsertImage(tx, { kind, ownerId, uploaderId, hash, ...image })
  if ((await store.sumImageBytes(tx, uploaderId)) > maxStoredImageBytes) throw limitReached('imageMebibytes')
  return hash
}

export function imageHash({ bytes }: EncodedImage): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

/** With `hash` null, the path of the generated image. */
export function imagePath(kind: store.ImageKind, ownerId: string, hash: string | null): string {
  return `/images/${kind}/${ownerId}/${hash ?? 'default'}`
}
