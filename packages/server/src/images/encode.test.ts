import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { createApplication } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import sharp from 'sharp'
import { AppError } from '../errors/app-error.ts'
import { encodeImage } from './index.ts'

const mebibyte = 1024 * 1024
const secret = 'secret of the author'

function upload(user: TestUser, bytes: Uint8Array, path = '/api/users/@me/avatar') {
  const init = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: new Uint8Array(bytes) }
  return user.client.send(path, init)
}

/** Uploads the avatar and returns the image that the service serves. */
async function roundTrip(service: TestService, user: TestUser, bytes: Uint8Array) {
  const reply = await upload(user, bytes)
  assert.equal(reply.status, 200, reply.text)
  const response = await fetch(service.url + reply.body.avatar)
  return {
    contentType: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

function solid(width: number, height: number, background: string) {
  return sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false })
}

/** Red on the left, blue on the right. */
function twoColors() {
  return solid(64, 32, 'blue').composite([
    { input: { create: { ...half, background: 'red' } }, gravity: 'west' },
  ])
}
const half = { width: 32, height: 32, channels: 3 as const }

async function colorAt(bytes: Buffer, left: number, top: number): Promise<'red' | 'blue' | 'other'> {
  const pixel = sharp(bytes).extract({ left, top, width: 1, height: 1 }).removeAlpha()
  const [red = 0, , blue = 0] = await pixel.raw().toBuffer()
  if (red > 200 && blue < 55) return 'red'
  return blue > 200 && red < 55 ? 'blue' : 'other'
}

async function animation(colors: readonly string[]) {
  const frames = colors.map(color => solid(16, 8, color).png().toBuffer())
  return sharp(await Promise.all(frames), { join: { animated: true } })
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** A PNG image with one bit for each pixel. Each row starts with the type of its filter. Black by default. */
function bitPng(
  width: number,
  height: number,
  rows: Buffer = Buffer.alloc((1 + Math.ceil(width / 8)) * height),
  ...chunks: Buffer[]
): Buffer {
  for (let row = 0; row < height; row++) rows[(row * rows.length) / height] = 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...chunks,
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

eachService(
  'limits/image-encoding: a JPEG comes back without EXIF, GPS, XMP, profile, comment and trailing bytes',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const photo = await twoColors()
      .withExif({ IFD0: { Artist: secret }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '55/1 45/1 7/1' } })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${secret}</x:xmpmeta>`)
      .withIccProfile('p3')
      .jpeg()
      .toBuffer()
    const comment = Buffer.from(`\xff\xfe\x00${String.fromCharCode(secret.length + 2)}${secret}`, 'latin1')
    const bytes = Buffer.concat([photo.subarray(0, 2), comment, photo.subarray(2), Buffer.from(secret)])
    const before = await sharp(bytes).metadata()
    assert.ok(before.exif && before.xmp && before.icc)
    const image = await roundTrip(service, ann, bytes)
    assert.equal(image.contentType, 'image/jpeg')
    const { format, width, height, exif, xmp, icc } = await sharp(image.bytes).metadata()
    assert.deepEqual(
      [format, width, height, exif, xmp, icc],
      ['jpeg', 64, 32, undefined, undefined, undefined],
    )
    assert.equal(image.bytes.indexOf(secret), -1)
    assert.deepEqual([await colorAt(image.bytes, 8, 16), await colorAt(image.bytes, 56, 16)], ['red', 'blue'])
  },
)

eachService(
  'limits/image-encoding: PNG, WebP and GIF come back without metadata and trailing bytes, in the same format',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const withMetadata = () =>
      twoColors()
        .withExif({ IFD0: { Artist: secret } })
        .withXmp(secret)
    const comment = Buffer.from(`\x21\xfe${String.fromCharCode(secret.length)}${secret}\x00`, 'latin1')
    const gif = await twoColors().gif().toBuffer()
    // The comment is in front of the first extension.
    const start = gif.indexOf(Buffer.from([0x21]))
    const uploads = {
      'image/png': await withMetadata().png().toBuffer(),
      'image/webp': await withMetadata().webp().toBuffer(),
      'image/gif': Buffer.concat([gif.subarray(0, start), comment, gif.subarray(start)]),
    }
    for (const [contentType, bytes] of Object.entries(uploads)) {
      assert.notEqual(bytes.indexOf(secret), -1, contentType)
      const image = await roundTrip(service, ann, Buffer.concat([bytes, Buffer.from(secret)]))
      assert.equal(image.contentType, contentType)
      assert.equal(image.bytes.indexOf(secret), -1, contentType)
      assert.deepEqual(
        [await colorAt(image.bytes, 8, 16), await colorAt(image.bytes, 56, 16)],
        ['red', 'blue'],
      )
    }
    const text = chunk('tEXt', Buffer.from(`Comment\0${secret}`, 'latin1'))
    const image = await roundTrip(service, ann, bitPng(8, 8, undefined, text))
    assert.equal(image.bytes.indexOf(secret), -1)
  },
)

eachService(
  'limits/image-encoding: the orientation of EXIF is applied to the pixels',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    // Orientation 6: the first row of the stored pixels is the right side of the image.
    const bytes = await twoColors().withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const image = await roundTrip(service, ann, bytes)
    const { width, height, orientation } = await sharp(image.bytes).metadata()
    assert.deepEqual([width, height, orientation], [32, 64, undefined])
    assert.deepEqual([await colorAt(image.bytes, 16, 8), await colorAt(image.bytes, 16, 56)], ['red', 'blue'])
  },
)

eachService('limits/image-encoding: animated GIF and WebP stay animated', async (_t, service) => {
  const ann = await register(service, 'ann')
  const delay = [100, 200, 300]
  const frames = await animation(['red', 'lime', 'blue'])
  for (const bytes of [
    await frames.clone().gif({ delay, loop: 2 }).toBuffer(),
    await frames.clone().webp({ delay, loop: 2 }).withMetadata({ orientation: 6 }).toBuffer(),
  ]) {
    const image = await roundTrip(service, ann, bytes)
    const before = await sharp(bytes, { animated: true }).metadata()
    const after = await sharp(image.bytes, { animated: true }).metadata()
    const { format, pages, pageHeight, loop } = after
    assert.deepEqual([format, pages, pageHeight, loop, after.delay], [before.format, 3, 8, 2, delay])
    assert.deepEqual([await colorAt(image.bytes, 2, 2)], ['red'])
  }
})

eachService('limits/image-pixels: 400 for more than 16,777,216 pixels in all frames', async (_t, service) => {
  const ann = await register(service, 'ann')
  const bomb = bitPng(20_000, 20_000)
  assert.ok(bomb.length < mebibyte / 10)
  // 17 frames of 1024 × 1024 pixels.
  const colors = Array.from({ length: 17 }, (_, n) => `rgb(${n * 10},0,0)`)
  const frames = await Promise.all(colors.map(color => solid(1024, 1024, color).png().toBuffer()))
  const animated = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer()
  for (const bytes of [bomb, animated]) {
    const reply = await upload(ann, bytes)
    assert.deepEqual([reply.status, reply.body.code], [400, 'validation_failed'], reply.text)
    assert.deepEqual(reply.body.errors, [
      {
        path: '',
        code: 'too_many_pixels',
        message: 'must have at most 16777216 pixels in all frames together',
        max: 16_777_216,
      },
    ])
  }
  assert.equal((await upload(ann, bitPng(4096, 4096))).status, 200)
})

eachService('limits/image-encoding: 400 for a broken image and other formats', async (_t, service) => {
  const ann = await register(service, 'ann')
  const jpeg = await twoColors().jpeg().toBuffer()
  const png = await twoColors().png().toBuffer()
  const broken = Buffer.from(png)
  broken.fill(0x55, broken.indexOf('IDAT') + 4, broken.indexOf('IDAT') + 24)
  const wrong: Record<string, Buffer> = {
    'truncated JPEG': jpeg.subarray(0, jpeg.length - 100),
    'truncated PNG': png.subarray(0, png.length - 40),
    'broken PNG': broken,
    'only the start': Buffer.from('GIF89a and the rest'),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'),
    tiff: await twoColors().tiff().toBuffer(),
    avif: await twoColors().avif().toBuffer(),
    empty: Buffer.alloc(0),
  }
  for (const [name, bytes] of Object.entries(wrong)) {
    const reply = await upload(ann, bytes)
    assert.deepEqual([reply.status, reply.body.code], [400, 'validation_failed'], `${name}: ${reply.text}`)
    assert.equal(reply.body.errors[0].code, 'invalid_image', name)
    assert.match(reply.body.message, /PNG, JPEG, GIF or WebP/)
  }
  const { body } = await ann.client.get('/api/users/@me')
  assert.match(body.avatar, /default$/)
})

eachService(
  'limits/image-encoding: a photo of nearly 1 MiB is accepted, 413 if the result would be larger than 1 MiB',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const noise = (width: number, height: number) =>
      sharp({
        create: {
          width,
          height,
          channels: 3,
          background: 'red',
          noise: { type: 'gaussian', mean: 128, sigma: 40 },
        },
      })
    const photo = await noise(1800, 1300).jpeg({ quality: 75 }).toBuffer()
    assert.ok(photo.length > 0.8 * mebibyte && photo.length <= mebibyte, String(photo.length))
    const image = await roundTrip(service, ann, photo)
    assert.ok(image.bytes.length <= mebibyte)
    // One bit for each pixel, of which the service makes eight.
    const bits = bitPng(2880, 2880, randomBytes(361 * 2880))
    assert.ok(bits.length <= mebibyte, String(bits.length))
    const reply = await upload(ann, bits)
    assert.deepEqual([reply.status, reply.body.code], [413, 'body_too_large'], reply.text)
    assert.match(reply.body.message, /larger than 1 MiB after it was encoded again/)
  },
)

/** A GIF image whose frames have one pixel each. */
function framesGif(frames: number): Buffer {
  const header = Buffer.from('47494638396101000100800000000000ffffff', 'hex')
  const frame = Buffer.from('21f90400010000002c0000000001000100000202440100', 'hex')
  return Buffer.concat([header, ...Array(frames).fill(frame), Buffer.from([0x3b])])
}

eachService(
  'limits/image-frames: 400 for more than 1,000 frames, before they are decoded',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    for (const frames of [1001, 45_000]) {
      const bytes = framesGif(frames)
      assert.equal((await sharp(bytes, { animated: true }).metadata()).pages, frames)
      const reply = await upload(ann, bytes)
      assert.deepEqual([reply.status, reply.body.code], [400, 'validation_failed'], reply.text)
      const [error] = reply.body.errors
      assert.deepEqual([error.code, error.max, error.path], ['too_many_frames', 1000, ''])
    }
    assert.equal((await upload(ann, framesGif(1000))).status, 200)
  },
)

test('limits/image-encoding: all attempts to encode an image have one deadline', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const create = { width: 1800, height: 1300, channels: 3, background: 'red', noise } as const
  // With the quality of the first attempt it is larger than 1 MiB.
  const photo = await sharp({ create }).jpeg({ quality: 75 }).toBuffer()
  assert.equal((await encodeImage(() => 0, 'ann', photo)).contentType, 'image/jpeg')
  // The first attempt starts in time, and the second one when the 10 seconds are over.
  const times = [0, 1, 10_000]
  await assert.rejects(
    encodeImage(() => times.shift() ?? 10_000, 'ann', photo),
    error => error instanceof AppError && error.code === 'validation_failed',
  )
})

test('limits/image-encoding: a user whose images wait does not keep those of others from waiting', async () => {
  const bytes = await twoColors().png().toBuffer()
  const encode = (user: string) => encodeImage(() => 0, user, bytes)
  const ofFew = ['ann', 'bob', 'cem'].flatMap(user => Array.from({ length: 20 }, () => encode(user)))
  const ofOthers = Array.from({ length: 29 }, (_, n) => encode(`other ${n}`))
  for (const image of await Promise.all([...ofFew, ...ofOthers])) assert.equal(image.contentType, 'image/png')
})

eachService('limits/image-encoding: several images at once are all encoded', async (_t, service) => {
  const users = await Promise.all(['ann', 'bob', 'cem'].map(name => register(service, name)))
  const bytes = await twoColors().png().toBuffer()
  const replies = await Promise.all(users.flatMap(user => [upload(user, bytes), upload(user, bytes)]))
  assert.deepEqual(
    replies.map(reply => reply.status),
    replies.map(() => 200),
  )
})

eachService(
  'PUT /api/servers/:id/icon: the caller needs the permission before the image is decoded',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server } = await createServer(ann, bob)
    const path = `/api/servers/${server.id}/icon`
    assert.equal((await upload(bob, Buffer.from('no image'), path)).status, 403)
    assert.equal((await upload(eve, Buffer.from('no image'), path)).status, 404)
    const { id } = await createApplication(ann.client)
    const icon = `/api/applications/${id}/icon`
    assert.equal((await upload(bob, Buffer.from('no image'), icon)).status, 404)
  },
)
