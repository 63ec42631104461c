import { maxImageBytes } from '@gatehouse/protocol/limits'
import { AppError, invalid } from '../../kit/app-error.ts'

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/**
 * What the bytes are, by their first ones: what the sender said of them is not believed.
 * Throws `body_too_large` beyond 1 MiB, `validation_failed` where they are none of png, jpeg, gif, webp.
 */
export function checkImage(bytes: Uint8Array): { contentType: ImageType } {
  if (bytes.length > maxImageBytes) throw new AppError('body_too_large', 'The picture is larger than 1 MiB.')
  const contentType = typeOf(bytes)
  if (!contentType) throw invalid('', 'invalid_image', 'must be a picture: png, jpeg, gif or webp')
  return { contentType }
}

function typeOf(bytes: Uint8Array): ImageType | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp'
  return undefined
}
