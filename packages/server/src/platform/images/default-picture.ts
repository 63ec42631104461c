import { createHash } from 'node:crypto'

const SIZE = 5
const CELL = 12
const EDGE = 10

/**
 * A picture made from an id, the same each time: five by five squares, mirrored, in one of 360 tints. SVG of 80 by 80
 * without style or script.
 */
export function defaultPicture(id: string): string {
  const seed = createHash('sha256').update(id).digest()
  const hue = seed.readUInt16BE(0) % 360
  const side = 2 * EDGE + SIZE * CELL
  const squares = cells(seed).map(
    ([x, y]) => `<rect x="${EDGE + x * CELL}" y="${EDGE + y * CELL}" width="${CELL}" height="${CELL}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${side} ${side}">`,
    `<rect width="${side}" height="${side}" fill="hsl(${hue},45%,88%)"/>`,
    `<g fill="hsl(${hue},50%,42%)" shape-rendering="crispEdges">${squares.join('')}</g></svg>`,
  ].join('')
}

/** The squares to fill: the left half decides, the right half mirrors it. */
function cells(seed: Buffer): [x: number, y: number][] {
  const filled: [number, number][] = []
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const column = Math.min(x, SIZE - 1 - x)
      if (((seed[2 + y * 3 + column] ?? 0) & 1) === 1) filled.push([x, y])
    }
  }
  return filled
}
