import { crc32, deflateSync } from 'node:zlib'
import { identiconOf } from './identicon.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** The identicon as PNG, because programs that ask for a PNG do not read SVG. It has two colors. */
export function generateDefaultPicture(id: string): Buffer {
  const { side, cell, hue, corners } = identiconOf(id)
  // Each row begins with the number of its filter, 0 for none. A pixel is one bit.
  const rowBytes = 1 + side / 8
  const rows = Buffer.alloc(rowBytes * side)
  for (const [left, top] of corners) {
    for (let y = top; y < top + cell; y++) {
      for (let x = left; x < left + cell; x++) {
        const index = rowBytes * y + 1 + (x >> 3)
        rows[index] = (rows[index] ?? 0) | (0x80 >> (x & 7))
      }
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // Bits of a pixel, and the type of an image with a palette.
  header.set([1, 3], 8)
  const palette = Buffer.from([...toRgb(hue, 0.45, 0.88), ...toRgb(hue, 0.5, 0.42)])
  return Buffer.concat([
    signature,
    toChunk('IHDR', header),
    toChunk('PLTE', palette),
    toChunk('IDAT', deflateSync(rows)),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

function toChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}

/** CSS Color 4 §7. */
function toRgb(hue: number, saturation: number, lightness: number): number[] {
  const amplitude = saturation * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map(n => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  })
}
