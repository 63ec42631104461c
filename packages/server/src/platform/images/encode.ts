import { maxImageBytes, maxImagePixels } from '@gatehouse/protocol/limits'
import type { Sharp, SharpOptions } from 'sharp'
import { AppError, invalid, invalidAll } from '../../kit/app-error.ts'
import { createKeyedQueue } from '../../kit/keyed-queue.ts'

/** An image that the service encoded, so that it contains nothing but pixels (limits/image-encoding). */
export interface EncodedImage {
  contentType: string
  bytes: Uint8Array
}

/** Two of the four threads of libuv, which also hash passwords and write files. An image has up to 64 MiB of pixels. */
const simultaneousImages = 2
const maxWaitingImages = 32
const timeoutSeconds = 10

const queue = createKeyedQueue({ limit: simultaneousImages, maxWaiting: maxWaitingImages })

/**
 * Decodes an uploaded image and encodes it again in the same format, without metadata and with the orientation applied.
 * Throws 400 `validation_failed` if the bytes are not an image or have too many pixels, 413 `body_too_large` if the result is
 * larger than 1 MiB, and 503 `unavailable` if too many images wait. The images of one user are encoded one after the other.
 */
export function encodeImage(userId: string, bytes: Uint8Array): Promise<EncodedImage> {
  return queue.run(userId, () => encode(bytes))
}

async function encode(bytes: Uint8Array): Promise<EncodedImage> {
  // Loaded with the first image, because a start without the library is faster.
  const { sharp } = await import('./sharp.ts')
  // Errors in the data are errors, but warnings are not: many programs write files that libvips warns about.
  const options: SharpOptions = { animated: true, failOn: 'error', limitInputPixels: false }
  // `height` is that of all frames together.
  const { format, width, height, pages, isPalette } = await orInvalid(() => sharp(bytes, options).metadata())
  if (width * height > maxImagePixels) {
    const message = `must have at most ${maxImagePixels} pixels in all frames together`
    throw invalidAll([{ path: '', code: 'too_many_pixels', message, max: maxImagePixels }])
  }
  const isAnimated = pages !== undefined && pages > 1
  for (const write of writersOf(format, isPalette)) {
    const encoded = await orInvalid(() => {
      const image = sharp(bytes, { ...options, limitInputPixels: maxImagePixels }).timeout({
        seconds: timeoutSeconds,
      })
      // libvips cannot rotate an animation.
      return write(isAnimated ? image : image.autoOrient()).toBuffer()
    })
    if (encoded.length <= maxImageBytes) return { contentType: `image/${format}`, bytes: encoded }
  }
  throw new AppError('body_too_large', 'The image is larger than 1 MiB after it was encoded again.')
}

type Writer = (image: Sharp) => Sharp

/** The next one is used if the result of the previous one is too large. */
function writersOf(format: string, isPalette: boolean): readonly Writer[] {
  if (format === 'jpeg') return [90, 75, 50].map(quality => image => image.jpeg({ quality }))
  if (format === 'webp') return [90, 75, 50].map(quality => image => image.webp({ quality }))
  if (format === 'gif') return [0, 8].map(interFrameMaxError => image => image.gif({ interFrameMaxError }))
  if (isPalette) return [image => image.png({ palette: true, dither: 0 })]
  return [true, false].map(adaptiveFiltering => image => image.png({ adaptiveFiltering }))
}

async function orInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    throw invalid(
      '',
      'invalid_image',
      `must be a PNG, JPEG, GIF or WebP image without errors that can be encoded in ${timeoutSeconds} s`,
    )
  }
}
