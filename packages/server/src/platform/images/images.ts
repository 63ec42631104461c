import { createHash } from 'node:crypto'
import { maxImageBytes } from '@gatehouse/protocol/limits'
import { AppError, invalid } from '../../kit/app-error.ts'
import type { Sql } from '../../storage/database.ts'
import { type ImageKind, upsertImage } from './store.ts'

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/**
 * Detects the format from the first bytes, because the Content-Type that a client sends may be wrong. Throws
 * `body_too_large` over 1 MiB, `validation_failed` for any other format.
 */
export function checkImage(bytes: Uint8Array): { contentType: ImageType } {
  if (bytes.length > maxImageBytes) throw new AppError('body_too_large', 'An image must be 1 MiB or smaller.')
  const contentType = detectType(bytes)
  if (!contentType) throw invalid('', 'invalid_image', 'must be a PNG, JPEG, GIF or WebP image')
  return { contentType }
}

function detectType(bytes: Uint8Array): ImageType | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp'
  return undefined
}

/** Replaces the owner's image and returns the hash of the new one. Throws as `checkImage`. */
export async function saveImage(
  sql: Sql,
  { kind, ownerId, bytes }: { kind: ImageKind; ownerId: string; bytes: Uint8Array },
): Promise<string> {
  const { contentType } = checkImage(bytes)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32)
  await upsertImage(sql, { kind, ownerId, hash, contentType, bytes })
  return hash
}

/** With `hash` null, the path of the generated image. */
export function imagePath(kind: ImageKind, ownerId: string, hash: string | null): string {
  return `/images/${kind}/${ownerId}/${hash ?? 'default'}`
}
