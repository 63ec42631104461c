import { maxImageBytes, maxImageFrames, maxImagePixels } from '@gatehouse/protocol/limits'
import type { Sharp, SharpOptions } from 'sharp'
import { AppError, invalid, invalidAll } from '../errors/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { createKeyedQueue } from '../rate-limits/keyed-queue.ts'

/** An image that the service encoded, so that it contains nothing but pixels (limits/image-encoding). */
export interface EncodedImage {
  contentType: string
  bytes: Uint8Array
}

/**
 * Uploads use two of the four threads of libuv, which also write files, and external pictures one, so that neither wait
 * for the other. An image has up to 64 MiB of pixels.
 */
const uploads = createKeyedQueue({
  ...{ name: 'waitingImages', limit: 2, limitPerKey: 1, maxWaitingKeys: 32, maxWaitingPerKey: 32 },
})
const pictures = createKeyedQueue({
  ...{ name: 'waitingPictures', limit: 1, limitPerKey: 1, maxWaitingKeys: 100, maxWaitingPerKey: 100 },
})
/** For all attempts together. */
const timeoutSeconds = 10

/**
 * Decodes an uploaded image and encodes it again in the same format, without metadata and with the orientation applied.
 * Throws 400 `validation_failed` if the bytes are not an image or have too many pixels or frames, 413 `body_too_large`
 * if the result is larger than 1 MiB, and 503 `unavailable` if images of too many users wait. The images of one user
 * are encoded one after the other, and the users take turns. `path`: that of the image in a body of JSON.
 */
export async function encodeImage(
  clock: Clock,
  userId: string,
  bytes: Uint8Array,
  path = '',
): Promise<EncodedImage> {
  try {
    return await uploads.run(clock, userId, () => encode(clock, bytes, writersOf))
  } catch (error) {
    if (path === '' || !(error instanceof AppError) || error.errors === undefined) throw error
    throw invalidAll(error.errors.map(each => ({ ...each, path })))
  }
}

/** The bytes of an `ImageUri`. */
export function readImageUri(uri: string): Uint8Array {
  return Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64')
}

/** Encodes an external picture as WebP, at most 1024 pixels wide and high. Throws as `encodeImage`. */
export async function encodePicture(clock: Clock, userId: string, bytes: Uint8Array): Promise<Uint8Array> {
  const image = await pictures.run(clock, userId, () => encode(clock, bytes, () => pictureWriters))
  return image.bytes
}

async function encode(
  clock: Clock,
  bytes: Uint8Array,
  selectWriters: (format: string, isPalette: boolean) => readonly Writer[],
): Promise<EncodedImage> {
  const deadline = clock() + timeoutSeconds * 1000
  // Loaded with the first image, because a start without the library is faster.
  const { sharp } = await import('./sharp.ts')
  // Errors in the data are errors, but warnings are not: many programs write files that libvips warns about.
  const options: SharpOptions = { animated: true, failOn: 'error', limitInputPixels: false }
  // `height` is that of all frames together.
  const {
    format,
    width,
    height,
    pages = 1,
    isPalette,
  } = await orInvalid(() => sharp(bytes, options).metadata())
  checkSize(width * height, pages)
  for (const write of selectWriters(format, isPalette)) {
    const seconds = Math.ceil((deadline - clock()) / 1000)
    const encoded = await orInvalid(() => {
      if (seconds < 1) throw new Error('The time of the previous attempts is up.')
      const image = sharp(bytes, { ...options, limitInputPixels: maxImagePixels }).timeout({ seconds })
      // libvips cannot rotate an animation.
      return write(pages > 1 ? image : image.autoOrient()).toBuffer()
    })
    if (encoded.length <= maxImageBytes) return { contentType: `image/${format}`, bytes: encoded }
  }
  throw new AppError('body_too_large', 'The image is larger than 1 MiB after it was encoded again.')
}

/** Before the image is decoded: a frame costs time however small it is. */
function checkSize(pixels: number, frames: number): void {
  if (pixels > maxImagePixels) {
    const message = `must have at most ${maxImagePixels} pixels in all frames together`
    throw invalidAll([{ path: '', code: 'too_many_pixels', message, max: maxImagePixels }])
  }
  if (frames > maxImageFrames) {
    const message = `must have at most ${maxImageFrames} frames`
    throw invalidAll([{ path: '', code: 'too_many_frames', message, max: maxImageFrames }])
  }
}

type Writer = (image: Sharp) => Sharp

const size = { width: 1024, height: 1024, fit: 'inside', withoutEnlargement: true } as const
const pictureWriters: readonly Writer[] = [80, 50].map(
  quality => image => image.resize(size).webp({ quality, effort: 2 }),
)

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
